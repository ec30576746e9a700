import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type KnownIdentifier, type Resolution, resolveClusters } from '../../domain/identity-resolution.ts'
import { digest, keepEarlier, keepEarliest, type Observation, type Seen } from '../../domain/observation.ts'
import { transaction } from '../client.ts'
import { lockProfile, lockProfiles } from './identity-lock.ts'
import { findNews, findNewsAmong, knownTokens, loadClusters } from './identity-reads.ts'
import { customersOfTokens } from './identity-view.ts'
import { assignVisitors, recordChanges, saveResolution } from './identity-writes.ts'

export type { Observation } from '../../domain/observation.ts'

export interface IdentityChange {
  profileId: string
  subjectId: string
  customerId: string
  /** Or else an identifier. */
  isBrowser: boolean
  /** An identifier of whom a browser left: the customer's visits changed. */
  hasLostBrowser: boolean
  version: string
}

/** What a batch did: whose each of its identifiers is (unless erased), which customers are new, and what it said that nobody knew. */
export interface Taken {
  customerOf: Map<string, string>
  created: Set<string>
  news: Seen
}

export interface IdentityStore {
  /** Takes in a batch in a constant number of round trips; seeing the same again, in any order, changes nothing. */
  observe(observations: Observation[]): Promise<void>
  /** Hands pending changes of the identity map to `publish` and forgets them once it has resolved. */
  publishChanges(publish: (changes: IdentityChange[]) => Promise<void>): Promise<number>
  /** The customer that an id leads to today: a merged-away customer resolves to its survivor; null when unknown. */
  survivor(profileId: string, customerId: string): Promise<string | null>
}

export function identityStore(pool: pg.Pool): IdentityStore {
  return {
    async observe(observations) {
      const seen = digest(observations)
      if (seen.identifiers.size === 0 && seen.visitors.size === 0) return
      // People who are known are most of the traffic: they cost one look-up and no lock.
      const news = await findNews(pool, seen)
      const profiles = profilesOf(news)
      if (profiles.length === 0) return
      await transaction(pool, async (tx) => {
        const own = await lockProfiles(tx, profiles)
        // Of a profile that is gone nothing can be kept; its messages must not hold up the others.
        if (own.size < profiles.length) forgetOthers(news, own)
        await takeIn(tx, observations, news)
      })
    },

    async publishChanges(publish) {
      return transaction(pool, async (tx) => {
        const { rows } = await tx.query<IdentityChange>(
          `DELETE FROM identity_changes WHERE ctid = ANY (ARRAY(
             SELECT ctid FROM identity_changes ORDER BY version LIMIT 20000 FOR UPDATE SKIP LOCKED))
           RETURNING profile_id AS "profileId", subject_id AS "subjectId", customer_id AS "customerId", version,
             has_lost_browser AS "hasLostBrowser",
             EXISTS (SELECT FROM visitor_assignments v WHERE (v.profile_id, v.visitor_id)
               = (identity_changes.profile_id, identity_changes.subject_id)) AS "isBrowser"`,
        )
        if (rows.length > 0) await publish(rows)
        return rows.length
      })
    },

    async survivor(profileId, customerId) {
      const { rows } = await pool.query<{ id: string }>(
        `WITH RECURSIVE trail AS (
           SELECT id, merged_into FROM customers WHERE profile_id = $1 AND id = $2
           UNION SELECT c.id, c.merged_into FROM customers c JOIN trail t ON c.id = t.merged_into)
         SELECT id FROM trail WHERE merged_into IS NULL`,
        [profileId, customerId],
      )
      return rows[0]?.id ?? null
    },
  }
}

/** Takes in a batch of one profile in the caller's transaction, and says whom it is about. */
export async function observeNow(tx: pg.PoolClient, profileId: string, observations: Observation[]): Promise<Taken> {
  await lockProfile(tx, profileId)
  const seen = digest(observations)
  // Most of an import is new: what no row can be about is not looked for.
  const known = await knownTokens(tx, [...seen.identifiers.values()])
  const news = await findNewsAmong(tx, seen, known)
  const created = new Set<string>()
  const newCustomerId = () => {
    const id = randomUUID()
    created.add(id)
    return id
  }
  const resolution = await takeIn(tx, observations, news, { newCustomerId, mayBeKnown: (token) => known.has(token) })
  const resolved = new Map(resolution?.identifiers.map((identifier) => [identifier.token, identifier]))
  const others = [...seen.identifiers.keys()].filter((token) => !resolved.has(token))
  const customerOf = new Map<string, string>()
  for (const { token, customerId, erasureId } of [
    ...resolved.values(),
    ...(await customersOfTokens(tx, profileId, others)),
  ]) {
    if (!erasureId) customerOf.set(token, customerId)
  }
  return { customerOf, created, news }
}

interface Taking {
  newCustomerId?: () => string
  /** False of tokens that have no row yet. */
  mayBeKnown?: (token: string) => boolean
}

async function takeIn(
  tx: pg.PoolClient,
  observations: Observation[],
  news: Seen,
  taking: Taking = {},
): Promise<Resolution | null> {
  const resolution = await resolve(tx, observations, news, taking)
  if (resolution) await saveResolution(tx, resolution)
  const visitors = await assignVisitors(tx, [...news.visitors.values()])
  await recordChanges(tx, resolution?.moved ?? [], visitors)
  return resolution
}

const profilesOf = ({ identifiers, links, visitors }: Seen) => [
  ...new Set([...identifiers.values(), ...links.values(), ...visitors.values()].map((item) => item.profileId)),
]

function forgetOthers(news: Seen, profiles: Set<string>): void {
  for (const seen of [news.identifiers, news.links, news.visitors]) {
    for (const [key, { profileId }] of seen) if (!profiles.has(profileId)) seen.delete(key)
  }
}

/** What the news change in the graph: the clusters they touch, grouped anew; null when nothing. */
async function resolve(
  tx: pg.PoolClient,
  observations: Observation[],
  news: Seen,
  { newCustomerId = randomUUID, mayBeKnown }: Taking,
): Promise<Resolution | null> {
  if (news.identifiers.size === 0 && news.links.size === 0) return null
  const touched = new Map([...news.identifiers.values()].map(({ profileId, token }) => [token, { profileId, token }]))
  for (const { profileId, a, b } of news.links.values()) {
    for (const token of [a, b]) touched.set(token, { profileId, token })
  }
  const { identifiers, links, cuts, formerCustomers } = await loadClusters(tx, [...touched.values()], mayBeKnown)
  forgetErased(news, observations, identifiers)
  for (const identifier of news.identifiers.values()) keepEarliest(identifiers, identifier)
  for (const [key, link] of news.links) keepEarlier(links, key, link)
  const clusters = { identifiers: [...identifiers.values()], links: [...links.values()], cuts, formerCustomers }
  return resolveClusters(clusters, newCustomerId)
}

/** A message that names somebody who was erased while it was on its way says nothing about anybody any more. */
function forgetErased(news: Seen, observations: Observation[], known: Map<string, KnownIdentifier>): void {
  const erased = new Set([...known.values()].flatMap(({ token, erasureId }) => (erasureId ? token : [])))
  if (erased.size === 0) return
  const rest = digest(observations.filter(({ identifiers }) => !identifiers.some(({ token }) => erased.has(token))))
  const keep = <T>(all: Map<string, T>, left: Map<string, T>) => {
    for (const key of all.keys()) {
      const item = left.get(key)
      if (item) all.set(key, item)
      else all.delete(key)
    }
  }
  keep(news.identifiers, rest.identifiers)
  keep(news.links, rest.links)
  keep(news.visitors, rest.visitors)
}
