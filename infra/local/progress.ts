export type Report = (line: string) => void

export const seconds = (sinceMs: number) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`

/** One line when a long fetch begins, one with its duration when it is done. */
export async function reportFetch<T>(report: Report, what: string, fetch: () => Promise<T>): Promise<T> {
  const began = Date.now()
  report(`fetching ${what} …`)
  const result = await fetch()
  report(`fetched ${what} (${seconds(began)})`)
  return result
}
