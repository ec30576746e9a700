import type pg from 'pg'
import { hashPassword } from '../../domain/passwords.ts'
import type { Role } from '../../domain/roles.ts'
import { type Sql, transaction } from '../client.ts'

export interface User {
  id: string
  email: string
  passwordHash: string
}

interface Row {
  id: string
  email: string
  password_hash: string
}

const toUser = (row: Row): User => ({ id: row.id, email: row.email, passwordHash: row.password_hash })

export const normalEmail = (email: string): string => email.trim().toLowerCase()

export async function findUserByEmail(sql: Sql, email: string): Promise<User | undefined> {
  const { rows } = await sql.query<Row>('SELECT id, email, password_hash FROM users WHERE email = $1', [
    normalEmail(email),
  ])
  return rows[0] && toUser(rows[0])
}

export async function findUser(sql: Sql, id: string): Promise<User | undefined> {
  const { rows } = await sql.query<Row>('SELECT id, email, password_hash FROM users WHERE id = $1', [id])
  return rows[0] && toUser(rows[0])
}

/** Nothing when somebody with that e-mail exists already. */
export async function addUser(sql: Sql, email: string, passwordHash: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>(
    'INSERT INTO users (email, password_hash) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING RETURNING id',
    [normalEmail(email), passwordHash],
  )
  return rows[0]?.id
}

/** Nothing when somebody with that e-mail exists already. */
export async function createUser(
  pool: pg.Pool,
  user: { email: string; password: string; workspaceId?: string | undefined; role?: Role | undefined },
): Promise<{ userId: string } | undefined> {
  const passwordHash = await hashPassword(user.password)
  return transaction(pool, async (tx) => {
    const userId = await addUser(tx, user.email, passwordHash)
    if (userId === undefined) return undefined
    if (user.workspaceId) await addMember(tx, user.workspaceId, userId, user.role ?? 'owner')
    return { userId }
  })
}

export async function changePassword(sql: Sql, userId: string, passwordHash: string): Promise<void> {
  await sql.query('UPDATE users SET password_hash = $2 WHERE id = $1', [userId, passwordHash])
}

export async function addMember(sql: Sql, workspaceId: string, userId: string, role: Role): Promise<void> {
  await sql.query(
    `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
    [workspaceId, userId, role],
  )
}

export async function isMember(sql: Sql, workspaceId: string, email: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 AND u.email = $2`,
    [workspaceId, email],
  )
  return rowCount !== 0
}

export interface Membership {
  workspaceId: string
  workspaceName: string
  role: Role
}

export async function membershipsOf(sql: Sql, userId: string): Promise<Membership[]> {
  const { rows } = await sql.query<Membership>(
    `SELECT w.id AS "workspaceId", w.name AS "workspaceName", m.role
     FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.user_id = $1 AND w.archived_at IS NULL ORDER BY w.created_at, w.id`,
    [userId],
  )
  return rows
}
