import type { Sql } from '../postgres/client.ts'
import { findProfile, type ProfileRow } from '../postgres/stores/tenancy.ts'
import { UsageError } from './with-postgres.ts'

/** The profile that somebody named, or the sentence that says where to find one. */
export async function profileCalled(sql: Sql, id: string): Promise<ProfileRow> {
  const profile = await findProfile(sql, id)
  if (!profile) throw new UsageError(`there is no profile ${id}: "touchline profiles list" shows them.`)
  return profile
}
