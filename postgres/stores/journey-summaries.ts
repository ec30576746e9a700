import type pg from 'pg'
import type { Sql } from '../client.ts'

export interface JourneySummary {
  text: string
  /** The model that wrote it, or touchline. */
  generator: string
  eventCount: number
  generatedAt: Date
}

export async function findSummary(sql: Sql, profileId: string, customerId: string): Promise<JourneySummary | null> {
  const { rows } = await sql.query<JourneySummary>(
    `SELECT text, generator, event_count AS "eventCount", generated_at AS "generatedAt"
     FROM journey_summaries WHERE profile_id = $1 AND customer_id = $2`,
    [profileId, customerId],
  )
  return rows[0] ?? null
}

/** Replaces what there was. False for a customer who has been erased meanwhile: nothing is kept of them. */
export async function keepSummary(
  tx: pg.PoolClient,
  profileId: string,
  customerId: string,
  { text, generator, eventCount, generatedAt }: JourneySummary,
): Promise<boolean> {
  // An erasure waits for this lock, and then finds the summary; or it came first, and is found here.
  const { rows } = await tx.query<{ isErased: boolean }>(
    'SELECT erasure_id IS NOT NULL AS "isErased" FROM customers WHERE profile_id = $1 AND id = $2 FOR SHARE',
    [profileId, customerId],
  )
  if (rows[0]?.isErased) return false
  await tx.query(
    `INSERT INTO journey_summaries (profile_id, customer_id, text, generator, event_count, generated_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (profile_id, customer_id) DO UPDATE SET text = excluded.text, generator = excluded.generator,
       event_count = excluded.event_count, generated_at = excluded.generated_at`,
    [profileId, customerId, text, generator, eventCount, generatedAt],
  )
  return true
}
