import type pg from 'pg'
import { type Codec, ownCodec } from '../../schemas/codec.ts'
import type { Topic } from '../../schemas/topics.ts'
import type { Sql } from '../client.ts'
import { lockIds } from '../lock-ids.ts'

export interface OutboxRow {
  id: string
  topic: string
  key: string
  value: Buffer
}

/** Puts a message beside the rows it tells of: it is sent if, and only if, the transaction commits. */
export async function enqueue<Value>(
  tx: pg.PoolClient,
  topic: Topic<Value>,
  value: Value,
  codec: Codec = ownCodec,
): Promise<void> {
  await enqueueAll(tx, topic, [value], codec)
}

/** Many in one statement, in their order. */
export async function enqueueAll<Value>(
  tx: pg.PoolClient,
  topic: Topic<Value>,
  values: readonly Value[],
  codec: Codec = ownCodec,
): Promise<void> {
  if (values.length === 0) return
  await tx.query(
    `INSERT INTO outbox (topic, key, value)
     SELECT $1, key, value FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS x (key, value, at) ORDER BY at`,
    [topic.name, values.map(topic.key), values.map((value) => codec.encode(topic, value))],
  )
}

/** The oldest rows, locked until the transaction ends. One relay at a time: two would break the order within a key. */
export async function takeOutbox(tx: pg.PoolClient, limit: number): Promise<OutboxRow[]> {
  const { rows: locks } = await tx.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    lockIds.outboxRelay,
  ])
  if (!locks[0]?.taken) return []
  const { rows } = await tx.query<OutboxRow>(
    'SELECT id, topic, key, value FROM outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED',
    [limit],
  )
  return rows
}

export async function deleteOutbox(tx: pg.PoolClient, ids: string[]): Promise<void> {
  await tx.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [ids])
}

/** The newest id that waits, if any does. */
export async function newestOutboxId(sql: Sql): Promise<bigint | undefined> {
  const { rows } = await sql.query<{ id: string | null }>('SELECT max(id) AS id FROM outbox')
  return rows[0]?.id ? BigInt(rows[0].id) : undefined
}

/** How many rows up to this id still wait. */
export async function countOutbox(sql: Sql, upTo: bigint): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('SELECT count(*)::int AS count FROM outbox WHERE id <= $1', [
    upTo,
  ])
  return rows[0]!.count
}
