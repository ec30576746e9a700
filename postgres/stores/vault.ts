import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Prompt } from '../../domain/prompt.ts'
import {
  hashIdentifier,
  hmacIdentifier,
  newDataKey,
  unwrapDataKey,
  type VaultKeys,
  wrapDataKey,
} from '../../domain/sealing.ts'
import type { IdentifierType } from '../../schemas/messages.ts'
import { column } from '../column.ts'
import { gather } from '../gather.ts'
import { within } from '../within.ts'

/** What has a token: every identifier, and the opaque id of who a payment is for. */
export type VaultType = IdentifierType | 'subject_ref'

export interface VaultEntry {
  token: string
  /** The data key that the token's values are sealed under. */
  key: Buffer
  /** A customer key that was erased: its token is nobody's, and nothing can be sealed under its empty key. */
  isErased: boolean
}

export interface Vault {
  /**
   * The token and key of each normalised value, found or created; in the order asked. Look at `isErased` wherever a
   * customer key may be among them.
   */
  tokens<Type extends VaultType>(
    profileId: string,
    values: readonly { type: Type; value: string }[],
  ): Prompt<(VaultEntry & { type: Type; value: string })[]>
  /** What the vault holds of each normalised value, tombstones included; a look-up leaves no trace of the others. */
  lookUp(
    profileId: string,
    values: readonly { type: VaultType; value: string }[],
  ): Promise<({ token: string; isErased: boolean } | undefined)[]>
  /** The token of each normalised value that has one and was not erased; a look-up leaves no trace of the others. */
  find(profileId: string, values: readonly { type: VaultType; value: string }[]): Promise<(string | undefined)[]>
  /** The keys of tokens that still have one: the others were erased. */
  keys(wanted: readonly { profileId: string; token: string }[]): Promise<Map<string, Buffer>>
  /** Drops what this process remembers of a profile, or of all: somebody was erased, here or elsewhere. */
  forget(profileId?: string): void
}

export interface VaultOptions {
  cacheSize?: number
  /** How long this process may use a token that another one has erased, if it does not hear of it (`forget`). */
  cacheTtlMs?: number
  waitMs?: number
  /** A request waits briefly for Postgres and is told to come back; a processor or an import has more patience. */
  timeoutMs?: number
}

interface Wanted {
  id: string
  profileId: string
  type: VaultType
  hash: string
}

const maxAttempts = 3

/** Thousands of calls a second share a few round trips; what was seen lately needs none. */
export function postgresVault(pool: pg.Pool, secrets: VaultKeys, options: VaultOptions = {}): Vault {
  const { cacheSize = 50_000, cacheTtlMs = 60_000, waitMs = 1, timeoutMs = 1200 } = options
  const seen = new LRUCache<string, VaultEntry>({ max: cacheSize, ttl: cacheTtlMs })
  const seenKeys = new LRUCache<string, Buffer>({ max: cacheSize, ttl: cacheTtlMs })
  /** What was asked for before somebody was erased must not be remembered after it. */
  let erasures = 0
  /** Thousands of values in one call are an import: each is worth a millisecond more. */
  const limitMs = (count: number) => timeoutMs + count
  const unwrap = (profileId: string, token: string, wrapped: Buffer) =>
    unwrapDataKey(secrets.dataKeyWrapping, profileId, token, wrapped)

  const findOrCreate = gather(
    async (items: Wanted[]): Promise<Map<string, VaultEntry>> => {
      const found = new Map<string, VaultEntry>()
      let missing = [...new Map(items.map((item) => [item.id, item])).values()]
      // A row that another transaction commits during our statement is neither inserted nor seen by it: look again.
      for (let attempt = 0; missing.length > 0 && attempt < maxAttempts; attempt++) {
        const { rows, offers } = await findOrCreateRows(pool, secrets, missing, limitMs(missing.length))
        for (const row of rows) {
          const own = offers.get(row.token)
          const key = own ?? (row.data_key ? unwrap(row.profile_id, row.token, row.data_key) : noKey)
          found.set(idOf(row.profile_id, row.type, row.value_hmac.toString('base64')), {
            token: row.token,
            key,
            isErased: !own && !row.data_key,
          })
        }
        missing = missing.filter(({ id }) => !found.has(id))
      }
      return found
    },
    { waitMs },
  )

  const findKeys = gather(
    async (items: { profileId: string; token: string }[]) => {
      const { rows } = await pool.query<{ profile_id: string; token: string; data_key: Buffer }>({
        text: `SELECT v.profile_id, v.token, v.data_key
             FROM unnest($1::uuid[], $2::uuid[]) AS w (profile_id, token)
             CROSS JOIN LATERAL (
               SELECT * FROM vault v
               WHERE v.token = w.token AND v.profile_id = w.profile_id AND v.data_key IS NOT NULL OFFSET 0) v`,
        values: [column(items, ({ profileId }) => profileId), column(items, ({ token }) => token)],
        query_timeout: timeoutMs,
      } as pg.QueryConfig)
      return new Map(
        rows.map((row) => [`${row.profile_id}/${row.token}`, unwrap(row.profile_id, row.token, row.data_key)]),
      )
    },
    { waitMs },
  )

  return {
    tokens(profileId, values) {
      const unknown: Wanted[] = []
      const asked = values.map(({ type, value }) => {
        const hash = hashIdentifier(secrets.identifierHmac, profileId, type, value)
        const id = idOf(profileId, type, hash)
        const entry = seen.get(id)
        if (!entry) unknown.push({ id, profileId, type, hash })
        return { type, value, id, entry }
      })
      if (unknown.length === 0) return asked.map(({ type, value, entry }) => named(type, value, entry!))
      const before = erasures
      return within(limitMs(unknown.length), findOrCreate(unknown)).then((found) =>
        asked.map(({ type, value, id, entry }) => {
          const known = entry ?? found.get(id)
          if (!known) throw new Error(`profile ${profileId} does not exist any more`)
          if (!entry && before === erasures) seen.set(id, known)
          return named(type, value, known)
        }),
      )
    },

    async find(profileId, values) {
      const found = await this.lookUp(profileId, values)
      return found.map((entry) => (entry?.isErased ? undefined : entry?.token))
    },

    async lookUp(profileId, values) {
      if (values.length === 0) return []
      const hmacs = values.map(({ type, value }) => hmacIdentifier(secrets.identifierHmac, profileId, type, value))
      const { rows } = await pool.query<{ at: number; token: string; isErased: boolean }>({
        text: `SELECT w.at::int AS at, v.token, v.data_key IS NULL AS "isErased"
               FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS w (type, value_hmac, at)
               CROSS JOIN LATERAL (
                 SELECT token, data_key FROM vault
                 WHERE profile_id = $1 AND type = w.type AND value_hmac = w.value_hmac OFFSET 0) v`,
        values: [profileId, values.map(({ type }) => type), hmacs],
        query_timeout: limitMs(values.length),
      } as pg.QueryConfig)
      const found = new Map(rows.map(({ at, ...entry }) => [at - 1, entry]))
      return values.map((_, at) => found.get(at))
    },

    async keys(wanted) {
      const keys = new Map<string, Buffer>()
      const unknown = wanted.filter(({ profileId, token }) => {
        const key = seenKeys.get(`${profileId}/${token}`)
        if (key) keys.set(token, key)
        return !key
      })
      if (unknown.length === 0) return keys
      const before = erasures
      const found = await within(timeoutMs, findKeys(unknown))
      for (const { profileId, token } of unknown) {
        const key = found.get(`${profileId}/${token}`)
        if (!key) continue
        if (before === erasures) seenKeys.set(`${profileId}/${token}`, key)
        keys.set(token, key)
      }
      return keys
    },

    forget(profileId) {
      erasures++
      for (const cache of [seen, seenKeys]) {
        for (const id of cache.keys()) if (!profileId || id.startsWith(`${profileId}/`)) cache.delete(id)
      }
    },
  }
}

const noKey = Buffer.alloc(0)

const named = <Type extends VaultType>(type: Type, value: string, { token, key, isErased }: VaultEntry) => ({
  type,
  value,
  token,
  key,
  isErased,
})

const idOf = (profileId: string, type: string, hash: string) => `${profileId}/${type}/${hash}`

interface Row {
  profile_id: string
  type: string
  value_hmac: Buffer
  token: string
  data_key: Buffer | null
}

/** The rows, and of each token that was offered its key: what was created is not unwrapped again. */
async function findOrCreateRows(
  pool: pg.Pool,
  secrets: VaultKeys,
  wanted: Wanted[],
  timeoutMs: number,
): Promise<{ rows: Row[]; offers: Map<string, Buffer> }> {
  const offers = new Map(wanted.map(() => [randomUUID(), newDataKey()]))
  const tokens = [...offers.keys()]
  // A look-up by key for each value, OFFSET and all: the planner would rather read the whole table, which grows.
  // Inserts go in one order, so that two batches with the same values wait for each other instead of deadlocking.
  // Profiles are joined: one that was deleted must not fail the batch of all others.
  const { rows } = await pool.query<Row>({
    text: `WITH wanted AS (
             SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::uuid[], $5::bytea[])
               AS w (profile_id, type, value_hmac, token, data_key)
           ), known AS (
             SELECT v.profile_id, v.type, v.value_hmac, v.token, v.data_key
             FROM wanted w CROSS JOIN LATERAL (
               SELECT * FROM vault v
               WHERE v.profile_id = w.profile_id AND v.type = w.type AND v.value_hmac = w.value_hmac OFFSET 0) v
           ), created AS (
             INSERT INTO vault (profile_id, type, value_hmac, token, data_key)
             SELECT w.profile_id, w.type, w.value_hmac, w.token, w.data_key
             FROM wanted w JOIN profiles p ON p.id = w.profile_id
             WHERE NOT EXISTS (
               SELECT FROM known k
               WHERE (k.profile_id, k.type, k.value_hmac) = (w.profile_id, w.type, w.value_hmac))
             ORDER BY w.profile_id, w.type, w.value_hmac
             ON CONFLICT (profile_id, type, value_hmac) DO NOTHING
             RETURNING profile_id, type, value_hmac, token, NULL::bytea
           )
           SELECT * FROM known UNION ALL SELECT * FROM created`,
    values: [
      wanted.map(({ profileId }) => profileId),
      wanted.map(({ type }) => type),
      wanted.map(({ hash }) => Buffer.from(hash, 'base64')),
      tokens,
      tokens.map((token, at) => wrapDataKey(secrets.dataKeyWrapping, wanted[at]!.profileId, token, offers.get(token)!)),
    ],
    query_timeout: timeoutMs,
  } as pg.QueryConfig)
  return { rows, offers }
}
