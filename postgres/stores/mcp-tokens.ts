import type pg from 'pg'
import { isUuid } from '../../domain/ids.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { Sql } from '../client.ts'

export interface McpToken {
  id: string
  userId: string
  name: string
  scopes: string[]
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

interface Row {
  id: string
  user_id: string
  name: string
  scopes: string[]
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}

const columns = 'id, user_id, name, scopes, created_at, expires_at, last_used_at'
const isLive = 'revoked_at IS NULL AND expires_at > now()'

const toToken = (row: Row): McpToken => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
})

export const mostMcpTokens = 20

/** Nothing when the person has as many live ones as are possible. */
export async function createMcpToken(
  tx: pg.PoolClient,
  token: { userId: string; name: string; scopes: readonly Scope[]; days: number },
): Promise<McpToken | undefined> {
  // One token of a person at a time: a statement does not count what others insert meanwhile.
  await tx.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [token.userId])
  const { rows } = await tx.query<Row>(
    `INSERT INTO mcp_tokens (user_id, name, scopes, expires_at)
     SELECT $1, $2, $3, now() + make_interval(days => $4)
     WHERE (SELECT count(*) FROM mcp_tokens WHERE user_id = $1 AND ${isLive}) < $5 RETURNING ${columns}`,
    [token.userId, token.name, token.scopes, token.days, mostMcpTokens],
  )
  return rows[0] && toToken(rows[0])
}

export async function findMcpToken(sql: Sql, id: string): Promise<McpToken | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await sql.query<Row>(`SELECT ${columns} FROM mcp_tokens WHERE id = $1 AND ${isLive}`, [id])
  return rows[0] && toToken(rows[0])
}

export async function listMcpTokens(sql: Sql, userId: string): Promise<McpToken[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${columns} FROM mcp_tokens WHERE user_id = $1 AND ${isLive} ORDER BY created_at, id`,
    [userId],
  )
  return rows.map(toToken)
}

/** False when the person has no such live token. */
export async function revokeMcpToken(sql: Sql, userId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const { rowCount } = await sql.query(
    `UPDATE mcp_tokens SET revoked_at = now() WHERE id = $1 AND user_id = $2 AND ${isLive}`,
    [id, userId],
  )
  return rowCount === 1
}

export async function revokeMcpTokensOf(sql: Sql, userId: string): Promise<void> {
  await sql.query('UPDATE mcp_tokens SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL', [userId])
}

export async function touchMcpToken(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `UPDATE mcp_tokens SET last_used_at = now()
     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [id],
  )
}
