import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { evidenceOrder } from '../domain/identity-graph.ts'
import type { Observation } from '../domain/observation.ts'
import type { IdentifierType } from '../schemas/messages.ts'

export const observation = (profileId: string, at: number, parts: Partial<Observation>): Observation => ({
  profileId,
  evidence: evidenceOrder(at, parts.evidence ?? randomUUID()),
  isTrusted: true,
  visitorId: null,
  identifiers: [],
  firstName: null,
  lastName: null,
  ...parts,
})

/** The tokens of each customer. */
export async function customersOf(pool: pg.Pool, profile: string): Promise<string[][]> {
  const { rows } = await pool.query<{ tokens: string[] }>(
    'SELECT array_agg(token::text ORDER BY token) AS tokens FROM identifiers WHERE profile_id = $1 GROUP BY customer_id',
    [profile],
  )
  return rows.map((row) => row.tokens).sort()
}

/** A message of a back office that names these identifiers together. */
export const named = (profile: string, at: number, identifiers: Record<string, IdentifierType>, isTrusted = true) =>
  observation(profile, at, {
    isTrusted,
    identifiers: Object.entries(identifiers).map(([token, type]) => ({ type, token, value: null })),
  })

export async function customerOf(pool: pg.Pool, profile: string, token: string): Promise<string> {
  const { rows } = await pool.query('SELECT customer_id FROM identifiers WHERE profile_id = $1 AND token = $2', [
    profile,
    token,
  ])
  return rows[0].customer_id
}
