import type { Truth } from './truth.ts'

export const shownModels = ['last_touch', 'first_touch', 'linear'] as const
export type ShownModel = (typeof shownModels)[number]

/** Money in minor units: sums of it are compared to the cent. */
export interface Figures {
  sales: number
  valueMinor: number
  byType: Record<string, number>
}

export interface CampaignFigures {
  name: string
  spendMinor: number
  models: Record<ShownModel, Figures>
}

export interface Report {
  campaigns: CampaignFigures[]
  unattributed: Record<ShownModel, Figures>
}

export interface JourneyEvent {
  event_type: string
  event_time: string
  path: string | null
  channel: string | null
  source: string | null
  campaign: string | null
  value_amount: number | null
  currency: string | null
  device: string | null
  browser: string | null
}

export interface Performer {
  ad_name: string
  campaign_name: string
  composite_score: number | null
  cohort_key: string
  cohort_n_ads: number
  spend: number
  roas: number | null
  attributed_outcomes_total: number
  reason_codes: { layer: string; polarity: string; percentile: number }[]
}

export interface ReportApi {
  report(range: { dateFrom: string; dateTo: string }): Promise<Report>
  journey(customerId: string): Promise<JourneyEvent[]>
  topPerformers(limit: number): Promise<Performer[]>
  issueTrackingKey(): Promise<string>
}

interface OutcomeFields {
  outcome_count: number
  outcome_value: number
  attributed_outcomes_by_type: Record<string, number>
}
type CampaignFields = OutcomeFields & { campaign_name: string; spend: number }

/** What a partner app reads, the way it reads it. */
export function connectReports({ baseUrl, key }: { baseUrl: string; key: string }): ReportApi {
  const call = async <T>(path: string, method = 'GET'): Promise<T> => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 300)}`)
    return (JSON.parse(text) as { data: T }).data
  }
  return {
    async report({ dateFrom, dateTo }) {
      const campaigns = new Map<string, CampaignFigures>()
      const unattributed = {} as Record<ShownModel, Figures>
      for (const model of shownModels) {
        const query = `date_from=${dateFrom}&date_to=${dateTo}&model=${model}`
        for (const row of await call<CampaignFields[]>(`/campaigns?${query}&limit=100`)) {
          const { campaign_name: name, spend } = row
          const known = campaigns.get(name) ?? { name, spendMinor: minor(spend), models: noFigures() }
          known.models[model] = figuresOf(row)
          campaigns.set(name, known)
        }
        unattributed[model] = figuresOf(await call<OutcomeFields>(`/campaigns/unattributed?${query}`))
      }
      return { campaigns: [...campaigns.values()], unattributed }
    },
    async journey(customerId) {
      return (await call<{ events: JourneyEvent[] }>(`/customers/${customerId}/journey?limit=100`)).events
    },
    topPerformers: (limit) => call<Performer[]>(`/top-performers?limit=${limit}`),
    async issueTrackingKey() {
      return (await call<{ key: string }>('/tracking/keys', 'POST')).key
    },
  }
}

const minor = (amount: number) => Math.round(amount * 100)
const figuresOf = (row: OutcomeFields): Figures => ({
  sales: row.outcome_count,
  valueMinor: minor(row.outcome_value),
  byType: row.attributed_outcomes_by_type,
})
const noFigures = () =>
  Object.fromEntries(shownModels.map((model) => [model, { sales: 0, valueMinor: 0, byType: {} }])) as Record<
    ShownModel,
    Figures
  >

export function totals({ campaigns, unattributed }: Report, model: ShownModel): Figures {
  const all = [...campaigns.map(({ models }) => models[model]), unattributed[model]]
  const byType: Record<string, number> = {}
  for (const figures of all) {
    for (const [type, conversions] of Object.entries(figures.byType)) byType[type] = (byType[type] ?? 0) + conversions
  }
  return {
    sales: all.reduce((sum, { sales }) => sum + sales, 0),
    valueMinor: all.reduce((sum, { valueMinor }) => sum + valueMinor, 0),
    byType,
  }
}

/** Where the report and what was really sent differ; nothing when every sum is right. */
export function compare(report: Report, truth: Truth): string[] {
  const wrong: string[] = []
  const expect = (what: string, found: number, expected: number, tolerance = 0) => {
    if (Math.abs(found - expected) > tolerance) wrong.push(`${what}: ${found} instead of ${expected}`)
  }
  for (const model of shownModels) {
    const found = totals(report, model)
    const isSingle = model !== 'linear'
    // Shares of a sale are rounded once a row, so rows of shares may miss half a cent each.
    const tolerance = isSingle ? 0 : (report.campaigns.length + 1) / 2
    expect(`value under ${model}, in cents`, found.valueMinor, truth.total.netMinor, tolerance)
    if (!isSingle) continue
    expect(`sales under ${model}`, found.sales, truth.total.sales)
    for (const type of new Set([...Object.keys(found.byType), ...Object.keys(truth.conversionsByType)])) {
      expect(`${type} under ${model}`, found.byType[type] ?? 0, truth.conversionsByType[type] ?? 0)
    }
  }
  const spend = new Map(report.campaigns.map(({ name, spendMinor }) => [name, spendMinor]))
  for (const [name, expected] of truth.spendMinorByCampaign) {
    expect(`spend of ${name}, in cents`, spend.get(name) ?? 0, expected)
  }
  return wrong
}

/** How far a model is from the truth: the part of all revenue that it gives to the wrong campaign, or to none. */
export function misplaced({ campaigns, unattributed }: Report, truth: Truth, model: ShownModel): number {
  const errors = campaigns.map(({ name, models }) =>
    Math.abs(models[model].valueMinor - (truth.byCampaign.get(name)?.netMinor ?? 0)),
  )
  errors.push(Math.abs(unattributed[model].valueMinor - truth.byNoAd.netMinor))
  return errors.reduce((sum, error) => sum + error, 0) / 2 / truth.total.netMinor
}
