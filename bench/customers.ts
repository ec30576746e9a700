import { randomUUID } from 'node:crypto'
import { evidenceOrder } from '../domain/identity-graph.ts'
import { seal, sealingContext, vaultKeys } from '../domain/sealing.ts'
import { connectPostgres } from '../postgres/client.ts'
import { identityStore } from '../postgres/stores/identity.ts'
import { postgresVault } from '../postgres/stores/vault.ts'
import type { Hit, Identifier, ServerEvent, VisitBatch } from '../schemas/messages.ts'
import type { Stage } from './stage.ts'

export interface Customers {
  profileId: string
  /** Identifiers of customers that are known already, spread over all of them. */
  known: Identifier[]
}

const spoken = 5_000
const longAgo = Date.UTC(2025, 0, 1)

/** A profile that knows so many customers: those that events will name through our own code, the others by SQL. */
export async function knowCustomers({ config }: Stage, profileId: string, count: number): Promise<Customers> {
  const pool = connectPostgres(config.databaseUrl)
  try {
    await pool.query(
      `WITH people AS MATERIALIZED (
         SELECT md5($1 || n)::uuid AS token, md5('customer' || $1 || n)::uuid AS customer, n
         FROM generate_series(1, $2::int) AS n),
       kept AS (
         INSERT INTO vault (profile_id, type, value_hmac, token, data_key)
         SELECT $1::uuid, 'email', sha256(token::text::bytea), token, sha256(token::text::bytea) FROM people),
       named AS (INSERT INTO customers (id, profile_id) SELECT customer, $1::uuid FROM people)
       INSERT INTO identifiers (profile_id, token, type, value, cluster_id, customer_id, first_customer_id, first_seen)
       SELECT $1::uuid, token, 'email', n || '@filler.example', customer, customer, customer, $3 FROM people`,
      [profileId, Math.max(0, count - spoken), evidenceOrder(longAgo, profileId)],
    )
    const vault = postgresVault(pool, vaultKeys(config.secret), { timeoutMs: 30_000 })
    const identity = identityStore(pool)
    const values = Array.from({ length: Math.min(spoken, count) }, (_, n) => ({
      type: 'email' as const,
      value: `${n}@bench.example`,
    }))
    const entries = await vault.tokens(profileId, values)
    await identity.observe(
      entries.map(({ type, token, value }) => ({
        profileId,
        evidence: evidenceOrder(longAgo, token),
        isTrusted: true,
        visitorId: null,
        identifiers: [{ type, token, value }],
        firstName: null,
        lastName: null,
      })),
    )
    await pool.query('ANALYZE vault, customers, identifiers')
    return {
      profileId,
      known: entries.map(({ type, token, key, value }) => ({
        type,
        token,
        sealed: seal(key, sealingContext(profileId, token, 'value'), value),
      })),
    }
  } finally {
    await pool.end()
  }
}

/** Seven page views, one identification and two sales in ten; who is named is known, the browsers are new. */
export function someEvents({ profileId, known }: Customers, count: number) {
  const visits: VisitBatch[] = []
  const events: ServerEvent[] = []
  const now = Date.now()
  for (let n = 0; n < count; n++) {
    const someone = [known[Math.floor(Math.random() * known.length)]!]
    if (n % 10 < 8) visits.push(visit(profileId, now, n, n % 10 === 7 ? someone : []))
    else events.push(sale(profileId, now, n, someone))
  }
  return { visits, events }
}

function visit(profile_id: string, now: number, n: number, identifiers: Identifier[]): VisitBatch {
  const hit: Hit = {
    event_id: randomUUID(),
    event_type: identifiers.length > 0 ? 'identify' : 'page_view',
    event_name: null,
    event_time: now - n,
    is_clamped: false,
    url: `https://shop.example/p/${n % 500}?utm_source=google&utm_medium=cpc&utm_campaign=c${n % 40}`,
    path: `/p/${n % 500}`,
    referrer: 'https://www.google.com/',
    utm: { source: 'google', medium: 'cpc', campaign: `c${n % 40}` },
    click_ids: {},
    campaign_ref: null,
    ad_set_ref: null,
    ad_ref: null,
    amount_minor: null,
    currency: null,
    identifiers,
    traits: null,
    linked_token: null,
  }
  return {
    profile_id,
    visitor_id: randomUUID(),
    received_at: now,
    clock_skew_ms: 0,
    device: 'desktop',
    browser: 'Chrome',
    os: 'Windows',
    country: null,
    city: null,
    is_bot: false,
    hits: [hit],
  }
}

const sale = (profile_id: string, now: number, n: number, identifiers: Identifier[]): ServerEvent => ({
  profile_id,
  outcome_event_id: randomUUID(),
  event_type: 'payment_received',
  event_name: null,
  occurred_at: now - n,
  received_at: now,
  is_clamped: false,
  amount_minor: 4_990,
  currency: 'USD',
  action_source: 'website',
  click_ids: {},
  campaign_ref: null,
  ad_set_ref: null,
  ad_ref: null,
  visitor_id: null,
  subject_ref_token: null,
  country: null,
  identifiers,
  traits: null,
})
