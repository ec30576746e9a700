import { campaignTrend } from '../../clickhouse/queries/campaign-trend.ts'
import { conversionCredit } from '../../clickhouse/queries/conversion-credit.ts'
import { conversionPage } from '../../clickhouse/queries/conversion-page.ts'
import { inCurrencies } from '../../clickhouse/queries/delivery-currencies.ts'
import { entityNames } from '../../clickhouse/queries/entity-names.ts'
import { findEntity } from '../../clickhouse/queries/find-entity.ts'
import { entityComparison, platformTotals } from '../../clickhouse/queries/platform-comparison.ts'
import { unattributedReport } from '../../clickhouse/queries/unattributed-report.ts'
import type { Level, Model } from '../../domain/models.ts'
import { readCampaigns, readEntity } from '../../query-api/operations/campaigns/report-reads.ts'
import { makeCredits } from '../credits.ts'
import { type Line, median, type Pair, percentile, ratioAtMost, secondsOf, valueAtMost } from '../line.ts'
import { type BenchProfile, openProfile } from '../profile.ts'
import type { Database, Stage } from '../stage.ts'

const lastDay = '2026-10-31'
const dayMs = 86_400_000
const dayBefore = (days: number) => new Date(Date.parse(lastDay) - days * dayMs).toISOString().slice(0, 10)
const [month, year] = [dayBefore(29), dayBefore(365)]

/** A report over HTTP, and the statements behind it run directly. */
interface Report {
  path: string
  direct: () => Promise<unknown>
}

const itself = 'its own SQL, run directly'
const ratioFigure = (name: string) => ({ name, unit: 'ms', beside: itself, target: ratioAtMost(1.25) })

/** Reports over a year of credit and delivery, through the API and without it. */
export const reports: Line = {
  name: 'reports',
  figures: [
    { name: 'GET /campaigns, 30 days, p95', unit: 'ms', beside: itself, target: valueAtMost(150) },
    { name: 'GET /campaigns, 366 days, p95', unit: 'ms', beside: itself, target: valueAtMost(600) },
    ratioFigure('campaigns, 30 days'),
    ratioFigure('campaigns, 366 days'),
    ratioFigure('ads by linear, 366 days'),
    ratioFigure('unattributed, 366 days'),
    ratioFigure('trend of ten, 366 days'),
    ratioFigure('one ad, 366 days'),
    ratioFigure('conversions of a campaign, 366 days'),
    ratioFigure('platform comparison, 366 days'),
    {
      name: '30 days of a year',
      unit: 'ms',
      beside: 'the same rows, and nothing else in the profile',
      target: ratioAtMost(1.5),
    },
  ],
  async open(stage) {
    const [conversions, ads] = stage.isQuick ? [20_000, 300] : [1_000_000, 5000]
    const api = await stage.service('api')
    const live = await stage.live()
    const whole = await openProfile(stage)
    const alone = await openProfile(stage)
    const seconds = await secondsOf(async () => {
      await makeCredits(live, { profile: whole.profileId, conversions, ads, lastDay, days: 366 })
      const few = Math.round((conversions * 30) / 366)
      await makeCredits(live, { profile: alone.profileId, conversions: few, ads, lastDay, days: 30 })
    })
    stage.report(
      `  made ${conversions} conversions with ${20 * conversions} touches, ${ads} ads, in ${seconds.toFixed(0)} s`,
    )
    // A 95th percentile needs many calls; medians of reads that take seconds do not.
    const [often, some] = stage.isQuick ? [5, 5] : [40, 10]
    const monthly = campaigns(live, whole, month)
    const yearly = campaigns(live, whole, year)
    const others = await otherReports(live, whole)
    return {
      async measure() {
        const lines: Pair[] = []
        const times = []
        for (const report of [monthly, yearly]) times.push(await timesOf(stage, whole, report, often))
        for (const report of others) times.push(await timesOf(stage, whole, report, some))
        for (const { http, direct } of times.slice(0, 2))
          lines.push({ value: percentile(http, 0.95), limit: percentile(direct, 0.95) })
        for (const { http, direct } of times) lines.push({ value: median(http), limit: median(direct) })
        const small = await timesOf(stage, alone, campaigns(live, alone, month), often)
        lines.push({ value: median(times[0]!.direct), limit: median(small.direct) })
        return lines
      },
      async close() {
        await live.close()
        await api.stop()
      },
    }
  },
}

const firstPage = { sort: 'outcome_value', limit: 11, platforms: [] } as const

function campaigns(
  { warehouse }: Database,
  { profileId: profile }: BenchProfile,
  from: string,
  model: Model = 'last_touch',
  level: Level = 'campaign',
): Report {
  const range = { profile, currency: 'USD', from, to: lastDay }
  return {
    path: `/campaigns?date_from=${from}&date_to=${lastDay}&model=${model}&level=${level}`,
    direct: () => readCampaigns(warehouse, range, { model, level, ...firstPage }),
  }
}

async function otherReports({ warehouse, rows }: Database, profile: BenchProfile): Promise<Report[]> {
  const range = { profile: profile.profileId, currency: 'USD', from: year, to: lastDay }
  const days = `date_from=${year}&date_to=${lastDay}`
  const found = await rows<{ level: Level; ids: string[] }>(
    `SELECT level, arrayMap(id -> toString(id), groupArray(10)(entity_id)) AS ids FROM ad_entities
     WHERE profile_id = '${profile.profileId}' GROUP BY level`,
  )
  const ids = Object.fromEntries(found.map(({ level, ids }) => [level, ids])) as Record<Level, string[]>
  const [campaign, ad] = [ids.campaign[0]!, ids.ad[0]!]
  const wholePage = { entity: campaign, type: '', limit: 51, after_day: lastDay, after_ms: '0', after_id: '' }
  return [
    campaigns({ warehouse } as Database, profile, year, 'linear', 'ad'),
    {
      path: `/campaigns/unattributed?${days}`,
      direct: () => warehouse.run(unattributedReport('last_touch', 'campaign'), range),
    },
    {
      path: `/campaigns/trend?${days}&entity_ids=${ids.campaign.join()}`,
      direct: () =>
        inCurrencies(warehouse, range, (currencies) =>
          warehouse.run(campaignTrend('campaign', currencies), { ...range, entities: ids.campaign }),
        ),
    },
    {
      path: `/ads/${ad}?${days}`,
      direct: async () => {
        const [found] = await warehouse.run(findEntity('ad'), { profile: range.profile, id: ad, platforms: [] })
        await readEntity(warehouse, range, { model: 'last_touch', level: 'ad', entity: found!.entity_id })
      },
    },
    {
      path: `/campaigns/conversions?${days}&campaign_id=${campaign}`,
      direct: async () => {
        const page = await warehouse.run(conversionPage('last_touch', 'campaign'), { ...range, ...wholePage })
        const asked = { profile: range.profile, entity: campaign, conversions: page.map((row) => row.conversion_id) }
        const credits = await warehouse.run(conversionCredit('last_touch', 'campaign'), asked)
        const touches = credits.flatMap((row) => row.touches)
        const named = new Set(touches.flatMap((touch) => [touch.campaign_id, touch.ad_set_id, touch.ad_id]))
        await warehouse.run(entityNames, { profile: range.profile, entities: [...named] })
      },
    },
    {
      path: `/campaigns/platform-comparison?${days}`,
      direct: () =>
        inCurrencies(warehouse, range, (currencies) =>
          Promise.all([
            warehouse.run(platformTotals('last_touch', 'campaign', currencies), range),
            warehouse.run(entityComparison('last_touch', 'campaign', currencies), { ...range, limit: 5000 }),
          ]),
        ),
    },
  ]
}

/** Milliseconds of each call, the two kinds in turns, so that whatever else the machine does is done to both. */
async function timesOf({ config }: Stage, { apiKey }: BenchProfile, { path, direct }: Report, rounds: number) {
  const get = async () => {
    const response = await fetch(`${config.baseUrl}/api/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    await response.arrayBuffer()
  }
  const times: { http: number[]; direct: number[] } = { http: [], direct: [] }
  for (const call of [get, direct]) await call()
  for (let round = 0; round < rounds; round++) {
    times.direct.push(1000 * (await secondsOf(direct)))
    times.http.push(1000 * (await secondsOf(get)))
  }
  return times
}
