/** What a log may say of an error: its code or name, never its message, which may quote a person. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code, apiId } = error as { code?: unknown; apiId?: unknown }
  return typeof apiId === 'string' ? apiId : typeof code === 'string' ? code : error.name
}

export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
