import type pg from 'pg'
import type { Sql } from '../client.ts'

export const deliveryStatuses = ['mapped', 'superseded', 'ignored', 'unmappable'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export interface NewDelivery {
  id: string
  profileId: string
  endpointId: string
  key: Buffer
  topic: string
  toldAt: Date
  /** Null where it names somebody who was erased. */
  sealed: Buffer | null
  sealedUnder: string | null
  /** Everybody whom it names. */
  tokens: readonly string[]
}

export interface Verdict {
  status: DeliveryStatus
  reason: string | null
  messages: number
}

/**
 * False when the same notification was taken before. One that was not understood then is replaced: its provider has perhaps
 * mended it, or we have learnt to read it.
 */
export async function recordDelivery(tx: pg.PoolClient, delivery: NewDelivery, verdict: Verdict): Promise<boolean> {
  if (await insertDelivery(tx, delivery, verdict)) return true
  const { rowCount } = await tx.query(
    "DELETE FROM hook_deliveries WHERE endpoint_id = $1 AND delivery_key = $2 AND status = 'unmappable'",
    [delivery.endpointId, delivery.key],
  )
  return rowCount === 1 && insertDelivery(tx, delivery, verdict)
}

async function insertDelivery(tx: pg.PoolClient, delivery: NewDelivery, verdict: Verdict): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH kept AS (
       INSERT INTO hook_deliveries (id, profile_id, endpoint_id, delivery_key, topic, told_at, status, reason, messages,
         sealed, sealed_under)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (endpoint_id, delivery_key) DO NOTHING RETURNING id, profile_id
     ), linked AS (
       INSERT INTO hook_delivery_tokens (profile_id, token, delivery_id)
       SELECT kept.profile_id, token, kept.id FROM kept, unnest($12::uuid[]) AS token
     )
     SELECT FROM kept`,
    [
      delivery.id,
      delivery.profileId,
      delivery.endpointId,
      delivery.key,
      delivery.topic,
      delivery.toldAt,
      verdict.status,
      verdict.reason,
      verdict.messages,
      delivery.sealed,
      delivery.sealedUnder,
      [...new Set(delivery.tokens)],
    ],
  )
  return rowCount === 1
}

export async function settleDelivery(tx: pg.PoolClient, id: string, verdict: Verdict): Promise<void> {
  await tx.query('UPDATE hook_deliveries SET status = $2, reason = $3, messages = $4 WHERE id = $1', [
    id,
    verdict.status,
    verdict.reason,
    verdict.messages,
  ])
}

export interface Delivery {
  id: string
  endpointId: string
  provider: string
  topic: string
  status: DeliveryStatus
  reason: string | null
  messages: number
  receivedAt: Date
  isErased: boolean
}

export interface DeliveryPage {
  status?: DeliveryStatus | undefined
  endpointId?: string | undefined
  before?: { at: string; id: string } | undefined
  limit: number
}

/** Newest first; `at` is the exact time, for the next page's cursor. */
export async function listDeliveries(
  sql: Sql,
  profileId: string,
  { status, endpointId, before, limit }: DeliveryPage,
): Promise<(Delivery & { at: string })[]> {
  const { rows } = await sql.query<Delivery & { at: string }>(
    `SELECT d.id, d.endpoint_id AS "endpointId", e.provider, d.topic, d.status, d.reason, d.messages,
       d.received_at AS "receivedAt", d.received_at::text AS at, d.sealed IS NULL AS "isErased"
     FROM hook_deliveries d JOIN hook_endpoints e ON e.id = d.endpoint_id
     WHERE d.profile_id = $1 AND ($2::text IS NULL OR d.status = $2) AND ($3::uuid IS NULL OR d.endpoint_id = $3)
       AND ($4::timestamptz IS NULL OR (d.received_at, d.id) < ($4::timestamptz, $5::uuid))
     ORDER BY d.received_at DESC, d.id DESC LIMIT $6`,
    [profileId, status ?? null, endpointId ?? null, before?.at ?? null, before?.id ?? null, limit],
  )
  return rows
}

export interface KeptDelivery extends SealedDelivery {
  topic: string
  toldAt: Date
  /** The exact time it came, to go on from. */
  at: string
}

/** What was not understood and still has its payload, oldest first. */
export async function unmappableAfter(
  sql: Sql,
  {
    profileId,
    after,
    limit,
  }: { profileId: string | undefined; after?: { at: string; id: string } | undefined; limit: number },
): Promise<KeptDelivery[]> {
  const { rows } = await sql.query<KeptDelivery>(
    `SELECT id, profile_id AS "profileId", endpoint_id AS "endpointId", sealed, sealed_under AS "sealedUnder", topic,
       told_at AS "toldAt", received_at::text AS at
     FROM hook_deliveries
     WHERE status = 'unmappable' AND sealed IS NOT NULL AND ($1::uuid IS NULL OR profile_id = $1)
       AND ($2::timestamptz IS NULL OR (received_at, id) > ($2::timestamptz, $3::uuid))
     ORDER BY received_at, id LIMIT $4`,
    [profileId ?? null, after?.at ?? null, after?.id ?? null, limit],
  )
  return rows
}

/** False when it is gone, was erased, or was understood in the meantime. */
export async function lockUnmappable(tx: pg.PoolClient, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "SELECT FROM hook_deliveries WHERE id = $1 AND status = 'unmappable' AND sealed IS NOT NULL FOR UPDATE",
    [id],
  )
  return rowCount === 1
}

/** Whoever is found in it now has a hold on it too. */
export async function rekeepDelivery(
  tx: pg.PoolClient,
  delivery: Pick<NewDelivery, 'id' | 'profileId' | 'topic' | 'sealed' | 'sealedUnder' | 'tokens'>,
): Promise<void> {
  await tx.query(
    `WITH linked AS (
       INSERT INTO hook_delivery_tokens (profile_id, token, delivery_id)
       SELECT $2::uuid, token, $1::uuid FROM unnest($6::uuid[]) AS token ON CONFLICT DO NOTHING
     )
     UPDATE hook_deliveries SET topic = $3, sealed = $4, sealed_under = $5 WHERE id = $1`,
    [
      delivery.id,
      delivery.profileId,
      delivery.topic,
      delivery.sealed,
      delivery.sealedUnder,
      [...new Set(delivery.tokens)],
    ],
  )
}

/** Why a refund changes nothing as long as no notification has told of its payment. */
export const paymentAwaited = 'payment_not_told_yet'

/**
 * What the last days told and no figure shows, by topic and reason, the most frequent first: what was not understood, and
 * refunds whose payment has not come within an hour.
 */
export async function countUncounted(
  sql: Sql,
  profileId: string,
  days: number,
): Promise<{ provider: string; topic: string; reason: string; count: number }[]> {
  const { rows } = await sql.query<{ provider: string; topic: string; reason: string; count: number }>(
    `SELECT e.provider, d.topic, coalesce(d.reason, '') AS reason, count(*)::int AS count
     FROM hook_deliveries d JOIN hook_endpoints e ON e.id = d.endpoint_id
     WHERE d.profile_id = $1 AND d.received_at > now() - make_interval(days => $2)
       AND (d.status = 'unmappable' OR (d.reason = $3 AND d.received_at < now() - interval '1 hour'))
     GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`,
    [profileId, days, paymentAwaited],
  )
  return rows
}

export interface SealedDelivery {
  id: string
  profileId: string
  endpointId: string
  sealed: Buffer | null
  sealedUnder: string | null
}

export async function findDelivery(sql: Sql, profileId: string, id: string): Promise<SealedDelivery | undefined> {
  const { rows } = await sql.query<SealedDelivery>(
    `SELECT id, profile_id AS "profileId", endpoint_id AS "endpointId", sealed, sealed_under AS "sealedUnder"
     FROM hook_deliveries WHERE profile_id = $1 AND id = $2`,
    [profileId, id],
  )
  return rows[0]
}

/** An erasure takes every payload that names one of these tokens; that it was delivered stays known. */
export async function eraseHookPayloads(
  tx: pg.PoolClient,
  profileId: string,
  tokens: readonly string[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `WITH named AS (
       DELETE FROM hook_delivery_tokens WHERE profile_id = $1 AND delivery_id IN (
         SELECT delivery_id FROM hook_delivery_tokens WHERE profile_id = $1 AND token = ANY($2::uuid[]))
       RETURNING delivery_id
     )
     UPDATE hook_deliveries SET sealed = NULL, sealed_under = NULL
     WHERE profile_id = $1 AND id IN (SELECT delivery_id FROM named)`,
    [profileId, tokens],
  )
  return rowCount ?? 0
}

/** At most so many rows a call, so that no sweep holds locks for long. */
export async function deleteOldDeliveries(sql: Sql, days: number, limit: number): Promise<number> {
  const { rowCount } = await sql.query(
    `DELETE FROM hook_deliveries WHERE id IN (
       SELECT id FROM hook_deliveries WHERE received_at < now() - make_interval(days => $1)
       ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [days, limit],
  )
  return rowCount ?? 0
}
