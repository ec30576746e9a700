import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { drain } from '../../cli/drain.ts'
import { vaultKeys } from '../../domain/sealing.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { importRows } from '../../ingest/imports/import-rows.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import { batchesOf, batchesSince } from '../batches.ts'
import { browser } from '../browser.ts'
import { type Line, percentile, valueAtMost } from '../line.ts'
import { type BenchProfile, openProfile } from '../profile.ts'
import type { Steady, SteadySettings } from '../programs/steady.ts'
import type { Stage } from '../stage.ts'

const eventsPerSecond = 1000
const giveUpMs = 30_000

/** From the 204 to the campaign report that shows the sale credited. */
export const freshness: Line = {
  name: 'freshness',
  figures: [
    {
      name: `p95 at ${eventsPerSecond.toLocaleString('en-US')} events/s`,
      unit: 's',
      beside: 'p95 with nothing else to do',
      target: valueAtMost(2),
    },
  ],
  async open(stage) {
    const services = [await stage.service('processors'), await stage.service('api')]
    const probes = stage.isQuick ? 30 : 50
    // Compilers take half a core while everything is new; what is measured has been up for a while.
    await load(stage, await openProfile(stage), stage.isQuick ? 10 : 30)
    await drain(stage.config, { timeoutMs: 120_000 })
    return {
      async measure() {
        const profile = await openProfile(stage)
        await importCampaigns(stage, profile, 2 * probes)
        await drain(stage.config, { timeoutMs: 120_000 })
        const idle = await probe(stage, profile, 0, probes)
        const steady = load(stage, profile, (probes * pauseMs) / 1000 + 4)
        await sleep(3000)
        const before = await stage.metrics()
        const busy = await probe(stage, profile, probes, probes)
        const after = await stage.metrics()
        for (const pipeline of ['visits', 'dirty-customers']) {
          stage.report(`  ${pipeline}: ${batchesSince(batchesOf(before, pipeline), batchesOf(after, pipeline))}`)
        }
        const { failed } = await steady
        if (failed > 0) stage.report(`  ${failed} events were not accepted`)
        await drain(stage.config, { timeoutMs: 120_000 })
        return [{ value: percentile(busy, 0.95), limit: percentile(idle, 0.95) }]
      },
      async close() {
        for (const service of services.toReversed()) await service.stop()
      },
    }
  },
}

/** Events at a steady pace from a process of its own. */
function load(stage: Stage, { trackingKey }: BenchProfile, seconds: number): Promise<Steady> {
  const settings: SteadySettings = { origin: stage.config.baseUrl, trackingKey, eventsPerSecond, seconds }
  const program = stage.program('steady.ts', settings)
  const ended = program.next<Steady>().finally(() => program.stop())
  // Heard of where it is awaited, also when the round fails before.
  ended.catch(() => {})
  return ended
}

const pauseMs = 250
/** Who reads a report as often as it answers takes the CPU that it is to be made with. */
const readEveryMs = 200
const today = () => new Date().toISOString().slice(0, 10)

/** A campaign for every probe, so that the report says which of them it shows. */
async function importCampaigns({ config }: Stage, { profileId }: BenchProfile, count: number): Promise<void> {
  const pool = connectPostgres(config.databaseUrl, { max: 2 })
  const producer = connectProducer({ brokers: config.kafkaBrokers })
  const rows = Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      ...{ platform: 'meta', date: today(), currency: 'USD', spend: 1, impressions: 10, clicks: 1 },
      ...{ campaign_external_id: `campaign-${n}`, campaign_name: `Campaign ${n}` },
      ...{ ad_set_external_id: `set-${n}`, ad_set_name: `Set ${n}`, ad_external_id: `ad-${n}`, ad_name: `Ad ${n}` },
    }),
  )
  try {
    const vault = postgresVault(pool, vaultKeys(config.secret))
    const onBadLine = (line: number, reason: string) => {
      throw new Error(`row ${line} was not taken: ${reason}`)
    }
    await importRows('ad-delivery', profileId, rows, { producer, vault, onBadLine })
  } finally {
    await Promise.allSettled([producer.close(), pool.end()])
  }
}

/** Sends sales at a steady pace, each by another campaign's ad, while the report is read over and over. */
async function probe(stage: Stage, profile: BenchProfile, first: number, count: number): Promise<number[]> {
  const acceptedAt = new Map<string, number>()
  const seconds: number[] = []
  const last = (async () => {
    for (let n = first; n < first + count; n++) {
      acceptedAt.set(`Campaign ${n}`, await sell(stage, profile, `ad-${n}`))
      await sleep(pauseMs)
    }
    return performance.now()
  })()
  let lastSentAt = Number.POSITIVE_INFINITY
  last.then(
    (at) => {
      lastSentAt = at
    },
    () => {},
  )
  while (seconds.length < count && performance.now() < lastSentAt + giveUpMs) {
    const seen = await credited(stage, profile)
    const now = performance.now()
    for (const name of seen) {
      const at = acceptedAt.get(name)
      if (at === undefined) continue
      seconds.push((now - at) / 1000)
      acceptedAt.delete(name)
    }
    await sleep(readEveryMs)
  }
  await last
  // One that never showed counts as long as it was waited for.
  return [...seconds, ...[...acceptedAt.values()].map(() => giveUpMs / 1000)]
}

async function sell({ config }: Stage, { trackingKey }: BenchProfile, ad: string): Promise<number> {
  const url = `https://shop.example/?svc_ad_id=${ad}`
  const response = await fetch(`${config.baseUrl}/collect`, {
    method: 'POST',
    headers: browser,
    body: JSON.stringify({
      tracking_key: trackingKey,
      visitor_id: randomUUID(),
      events: [
        { event_id: randomUUID(), event_type: 'page_view', url },
        { event_id: randomUUID(), event_type: 'payment_received', properties: { value: 10, currency: 'USD' } },
      ],
    }),
  })
  if (response.status !== 204) throw new Error(`the collector answered ${response.status}`)
  return performance.now()
}

async function credited({ config }: Stage, { apiKey }: BenchProfile): Promise<string[]> {
  const range = `date_from=${today()}&date_to=${today()}`
  const response = await fetch(`${config.baseUrl}/api/v1/campaigns?${range}&limit=100`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  if (!response.ok) throw new Error(`the report answered ${response.status}`)
  const { data } = (await response.json()) as { data: { campaign_name: string; outcome_count: number }[] }
  return data.filter(({ outcome_count }) => outcome_count > 0).map(({ campaign_name }) => campaign_name)
}
