import type { Credential } from '../../../domain/credentials.ts'

/** The person behind a session or an MCP token; the frame lets nobody else in where this is asked. */
export function personOf({ userId, kind }: Credential): string {
  if (userId === null) throw new Error(`A credential of the kind ${kind} has no person.`)
  return userId
}
