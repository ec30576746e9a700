import type { ClickHouseClient } from '@clickhouse/client'
import { ids } from '../../../domain/ids.ts'
import { models } from '../../../domain/models.ts'

const labels = {
  visitors: ['v1', 'v2', 'v3'],
  hits: Array.from({ length: 8 }, (_, i) => `hit-${i}`),
  orders: Array.from({ length: 3 }, (_, i) => `order-${i}`),
  payments: Array.from({ length: 3 }, (_, i) => `pay-${i}`),
  leads: Array.from({ length: 2 }, (_, i) => `lead-${i}`),
}

/** The names that a history gave to what the profile knows by id. */
function names(profile: string): Map<string, string> {
  const all = new Map([['00000000-0000-0000-0000-000000000000', '-']])
  for (const visitor of labels.visitors) {
    all.set(ids.visitor(profile, visitor), visitor)
    for (const hit of labels.hits) all.set(ids.hit(profile, visitor, hit), hit)
  }
  for (const order of labels.orders) all.set(ids.serverEvent(profile, order), order)
  for (const payment of labels.payments) all.set(ids.payment(profile, 'stripe', payment), payment)
  for (const lead of labels.leads) all.set(ids.crmOutcome(profile, 'hubspot', lead), lead)
  for (const [id, name] of [...all]) all.set(ids.conversion(profile, id), `conversion of ${name}`)
  for (const campaign of ['c-1', 'c-2']) all.set(ids.entity(profile, 'campaign', 'meta', campaign), campaign)
  for (const set of ['s-1', 's-2', 's-3']) all.set(ids.entity(profile, 'ad_set', 'meta', set), set)
  for (const ad of ['ad-1', 'ad-2', 'ad-3']) all.set(ids.entity(profile, 'ad', 'meta', ad), ad)
  return all
}

/** Everything derived for a profile, in the history's own names, and customers as groups of what is theirs. */
export async function figuresOf(clickhouse: ClickHouseClient, profiles: string[]): Promise<Map<string, unknown>> {
  const read = async (sql: string) => {
    const result = await clickhouse.query({ query: sql, format: 'JSONEachRow' })
    const rows = await result.json<Record<string, unknown> & { profile_id: string }>()
    return Map.groupBy(rows, (row) => row.profile_id)
  }
  const credits = await read(
    `SELECT * EXCEPT (version, content_hash, is_deleted) FROM credits FINAL ORDER BY occurred_at`,
  )
  const reports = await read(`SELECT * EXCEPT (version, is_deleted) FROM report_credits FINAL ORDER BY day, net_minor`)
  const touches = await read(
    `SELECT profile_id, touch_id, touch_time, channel, is_direct, is_synthetic, ad_ref FROM touches FINAL ORDER BY touch_time`,
  )
  const spend = await read(
    `SELECT profile_id, date, ad_id, spend_minor FROM ad_delivery FINAL ORDER BY date, spend_minor`,
  )
  return new Map(
    profiles.map((profile) => {
      const known = names(profile)
      const name = (value: unknown): unknown =>
        typeof value === 'string' ? (known.get(value) ?? value) : Array.isArray(value) ? value.map(name) : value
      const named = (rows: Record<string, unknown>[] = []) =>
        rows
          .map(({ profile_id, customer_id, ...row }) =>
            Object.fromEntries(Object.entries(row).map(([key, value]) => [key, name(value)])),
          )
          .sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))
      const groups = Map.groupBy(credits.get(profile) ?? [], (row) => row.customer_id)
      return [
        profile,
        {
          customers: [...groups.values()].map((rows) => rows.map((row) => name(row.outcome_id)).sort()).sort(),
          credits: named(credits.get(profile)),
          reports: named(reports.get(profile)),
          touches: named(touches.get(profile)),
          spend: named(spend.get(profile)),
        },
      ] as const
    }),
  )
}

/** Paths that do not sum to exactly one under a model. */
export async function brokenSums(clickhouse: ClickHouseClient): Promise<number> {
  const broken = models.map((model) => `arraySum(${model}) != 1000000000`).join(' OR ')
  const result = await clickhouse.query({
    query: `SELECT count() AS n FROM credits FINAL WHERE notEmpty(touch_ids) AND (${broken})`,
    format: 'JSONEachRow',
  })
  return Number((await result.json<{ n: string }>())[0]!.n)
}
