import type pg from 'pg'
import { isUuid } from '../../domain/ids.ts'
import type { Sql } from '../client.ts'
import { transaction } from '../client.ts'

export interface Refusal {
  /** Whose data it was; where only the page's origin is known, the profiles that allow it. */
  profileId: string | undefined
  origin?: string | undefined
  /** The door: `collect`, or the topic of a message. */
  source: string
  reason: string
}

export interface RefusalCounter {
  count(refusal: Refusal): void
  /** Writes what has been counted; also done every few seconds. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const mostGroups = 5_000

/**
 * Counts in memory and adds up in Postgres now and then, so that a flood of bad requests costs a few statements a
 * minute. A crash loses seconds of a diagnosis, never a figure.
 */
export function refusalCounter(pool: pg.Pool, { everyMs = 5_000 } = {}): RefusalCounter {
  let groups = new Map<string, Refusal & { count: number }>()
  const flush = async () => {
    const counted = [...groups.values()]
    groups = new Map()
    if (counted.length === 0) return
    await addRefusals(pool, counted).catch(() => {
      // Postgres is away: the counts of these seconds are lost, the requests are not delayed.
    })
  }
  const timer = setInterval(() => void flush(), everyMs)
  timer.unref()
  return {
    count(refusal) {
      const { profileId, origin, source, reason } = refusal
      if (!profileId && !origin) return
      const key = `${profileId ?? origin} ${source} ${reason}`
      const group = groups.get(key)
      if (group) group.count++
      else if (groups.size < mostGroups) groups.set(key, { ...refusal, count: 1 })
    },
    flush,
    stop: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Of profiles that there are; what names an origin goes to those that allow it. */
async function addRefusals(sql: Sql, refusals: (Refusal & { count: number })[], day?: string): Promise<void> {
  await sql.query(
    `WITH told AS (
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[])
         AS t (profile_id, origin, source, reason, count)),
     owned AS (
       SELECT p.id AS profile_id, t.source, t.reason, t.count FROM told t JOIN profiles p ON p.id = t.profile_id
       UNION ALL
       SELECT s.profile_id, t.source, t.reason, t.count FROM told t
       -- Some were kept with the port that browsers leave out.
       JOIN tracking_settings s ON s.settings -> 'allowed_origins'
         ?| ARRAY[t.origin, t.origin || CASE WHEN t.origin LIKE 'https:%' THEN ':443' ELSE ':80' END]
       WHERE t.profile_id IS NULL AND t.origin <> 'null')
     INSERT INTO refusals (profile_id, day, source, reason, count)
     SELECT profile_id, coalesce($6::date, (now() AT TIME ZONE 'UTC')::date), source, reason, sum(count)
     FROM owned GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
     ON CONFLICT (profile_id, day, source, reason) DO UPDATE SET count = refusals.count + excluded.count`,
    [
      refusals.map(({ profileId }) => profileId ?? null),
      refusals.map(({ origin }) => origin ?? null),
      refusals.map(({ source }) => source),
      refusals.map(({ reason }) => reason),
      refusals.map(({ count }) => count),
      day ?? null,
    ],
  )
}

export interface RejectedMessage {
  offset: bigint
  profileId: string | null
  topic: string
  reason: string
  /** Epoch milliseconds. */
  at: number
}

/** Counts messages of one partition that no processor could take, each once: the offset is kept with the counts. */
export async function countRejected(
  pool: pg.Pool,
  position: { topic: string; partition: number },
  messages: RejectedMessage[],
): Promise<void> {
  const last = messages.at(-1)
  if (!last) return
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ next_offset: string }>(
      `INSERT INTO refusal_offsets (topic, partition, next_offset) VALUES ($1, $2, 0)
       ON CONFLICT (topic, partition) DO UPDATE SET topic = excluded.topic RETURNING next_offset`,
      [position.topic, position.partition],
    )
    const next = BigInt(rows[0]!.next_offset)
    // A message may be rejected for the very profile it names: what is no id is nobody's.
    const fresh = messages.filter(({ offset, profileId }) => offset >= next && profileId !== null && isUuid(profileId))
    const byDay = Map.groupBy(fresh, ({ at }) => new Date(at).toISOString().slice(0, 10))
    for (const [day, group] of byDay) {
      const sums = new Map<string, Refusal & { count: number }>()
      for (const { profileId, topic, reason } of group) {
        const key = `${profileId} ${topic} ${reason}`
        const sum = sums.get(key)
        if (sum) sum.count++
        else sums.set(key, { profileId: profileId!, source: topic, reason, count: 1 })
      }
      await addRefusals(tx, [...sums.values()], day)
    }
    await tx.query(
      'UPDATE refusal_offsets SET next_offset = greatest(next_offset, $3) WHERE topic = $1 AND partition = $2',
      [position.topic, position.partition, last.offset + 1n],
    )
  })
}

export interface RefusalSum {
  source: string
  reason: string
  count: number
}

/** What was turned away in the last days, the most frequent first. */
export async function refusalsSince(sql: Sql, profileId: string, days: number): Promise<RefusalSum[]> {
  const { rows } = await sql.query<RefusalSum>(
    `SELECT source, reason, sum(count)::float8 AS count FROM refusals
     WHERE profile_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::int
     GROUP BY source, reason ORDER BY 3 DESC, 1, 2`,
    [profileId, days],
  )
  return rows
}

/** How many rows went. */
export async function deleteOldRefusals(sql: Sql, keptDays: number, limit: number): Promise<number> {
  const { rowCount } = await sql.query(
    `DELETE FROM refusals WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM refusals WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::int LIMIT $2))`,
    [keptDays, limit],
  )
  return rowCount ?? 0
}
