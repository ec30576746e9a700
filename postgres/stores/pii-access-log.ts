import type { CredentialKind } from '../../domain/credentials.ts'
import type { Sql } from '../client.ts'

export const accessResults = ['read', 'empty', 'refused', 'failed'] as const
export type AccessResult = (typeof accessResults)[number]

export interface Access {
  workspaceId: string
  profileId: string | null
  credentialKind: CredentialKind
  credentialId: string
  appId: string | null
  userId: string | null
  operation: string
  method: string
  /** The template, never an address: ids and query strings can be personal. */
  route: string
  status: number
  result: AccessResult
  personCount: number
  requestId: string | null
}

export interface StoredAccess extends Access {
  id: string
  occurredAt: Date
}

const columns = [
  ['workspace_id', 'uuid', 'workspaceId'],
  ['profile_id', 'uuid', 'profileId'],
  ['credential_kind', 'text', 'credentialKind'],
  ['credential_id', 'text', 'credentialId'],
  ['app_id', 'uuid', 'appId'],
  ['user_id', 'uuid', 'userId'],
  ['operation', 'text', 'operation'],
  ['method', 'text', 'method'],
  ['route', 'text', 'route'],
  ['status', 'smallint', 'status'],
  ['result', 'text', 'result'],
  ['person_count', 'integer', 'personCount'],
  ['request_id', 'uuid', 'requestId'],
] as const satisfies readonly (readonly [string, string, keyof Access])[]

const names = columns.map(([name]) => name).join(', ')
const insert = `INSERT INTO pii_access_log (${names})
  SELECT * FROM unnest(${columns.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')})`
const select = `SELECT id, occurred_at AS "occurredAt", ${columns.map(([name, , field]) => `${name} AS "${field}"`).join(', ')}
  FROM pii_access_log`

/** All of them in one statement. */
export async function writeAccesses(sql: Sql, accesses: readonly Access[]): Promise<void> {
  await sql.query(
    insert,
    columns.map(([, , field]) => accesses.map((access) => access[field])),
  )
}

export interface AccessFilter {
  workspaceId: string
  profileId?: string | undefined
  credentialId?: string | undefined
  appId?: string | undefined
  route?: string | undefined
  from?: Date | undefined
  /** Exclusive. */
  to?: Date | undefined
}

export interface AccessPlace {
  occurredAt: string
  id: string
}

/** Newest first, after the given place. */
export async function listAccesses(
  sql: Sql,
  filter: AccessFilter,
  page: { limit: number; after?: AccessPlace | undefined },
): Promise<(StoredAccess & { place: AccessPlace })[]> {
  const values: unknown[] = [filter.workspaceId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['workspace_id = $1']
  if (filter.profileId) conditions.push(`profile_id = ${bind(filter.profileId)}`)
  if (filter.credentialId) conditions.push(`credential_id = ${bind(filter.credentialId)}`)
  if (filter.appId) conditions.push(`app_id = ${bind(filter.appId)}`)
  if (filter.route) {
    const route = bind(filter.route)
    conditions.push(`(route = ${route} OR operation = ${route})`)
  }
  if (filter.from) conditions.push(`occurred_at >= ${bind(filter.from)}`)
  if (filter.to) conditions.push(`occurred_at < ${bind(filter.to)}`)
  // As text: a Date has milliseconds only, and would skip or repeat rows of one of them.
  if (page.after)
    conditions.push(`(occurred_at, id) < (${bind(page.after.occurredAt)}::timestamptz, ${bind(page.after.id)}::bigint)`)
  const { rows } = await sql.query<StoredAccess & { placeTime: string }>(
    `${select.replace('SELECT', 'SELECT occurred_at::text AS "placeTime",')} WHERE ${conditions.join(' AND ')}
     ORDER BY occurred_at DESC, id DESC LIMIT ${bind(page.limit)}`,
    values,
  )
  return rows.map(({ placeTime, ...access }) => ({ ...access, place: { occurredAt: placeTime, id: access.id } }))
}

/** At most so many rows a call. */
export async function deleteOldAccesses(sql: Sql, keptDays: number, limit: number): Promise<number> {
  const { rowCount } = await sql.query(
    `DELETE FROM pii_access_log WHERE id IN
       (SELECT id FROM pii_access_log WHERE occurred_at < now() - $1 * interval '1 day'
        ORDER BY occurred_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [keptDays, limit],
  )
  return rowCount ?? 0
}
