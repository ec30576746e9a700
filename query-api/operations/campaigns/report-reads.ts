import type { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { adReport } from '../../../clickhouse/queries/ad-report.ts'
import { type CampaignSort, campaignReport } from '../../../clickhouse/queries/campaign-report.ts'
import type { deliveryParams } from '../../../clickhouse/queries/delivery.ts'
import { inCurrencies } from '../../../clickhouse/queries/delivery-currencies.ts'
import {
  type EntityDescription,
  entityDescriptions,
  newestRates,
} from '../../../clickhouse/queries/entity-descriptions.ts'
import type { EntityFigures } from '../../../clickhouse/queries/entity-figures.ts'
import { atRate } from '../../../domain/fx.ts'
import type { Level, Model } from '../../../domain/models.ts'

/** What reports say of an entity: its figures, and what it is; a budget is in the reporting currency. */
export type EntityRow = EntityFigures & Omit<EntityDescription, 'entity_id' | 'budget_currency'>

type Range = z.input<typeof deliveryParams>

interface Wanted {
  model: Model
  level: Level
  sort: CampaignSort
  platforms: readonly string[]
  /** Rank, spend and id of the row that the page goes on after. */
  after?: readonly [string, string, string] | undefined
  limit: number
}

/** A page of ranked entities. What they are is asked for the few on it, by key: joined to all, it would cost planning. */
export async function readCampaigns(clickhouse: Warehouse, range: Range, wanted: Wanted) {
  const { model, level, sort, platforms, after, limit } = wanted
  const [after_rank, after_spend, after_id] = after ?? ['0', '0', '']
  const page = { isLater: after !== undefined, isFiltered: platforms.length > 0 }
  const params = { ...range, limit, platforms: [...platforms], after_rank, after_spend, after_id }
  const rows = await inCurrencies(clickhouse, range, (currencies) =>
    clickhouse.run(campaignReport(model, level, sort, { ...page, currencies }), params),
  )
  const entities = rows.map(({ entity_id }) => entity_id)
  const descriptionOf = await describe(clickhouse, range, level, entities)
  return rows.map((row) => ({ ...row, ...descriptionOf(row.entity_id) }))
}

/** One entity, with figures of zero where nothing happened in range. */
export async function readEntity(
  clickhouse: Warehouse,
  range: Range,
  { model, level, entity }: { model: Model; level: Level; entity: string },
): Promise<EntityRow> {
  const [[row], descriptionOf] = await Promise.all([
    inCurrencies(clickhouse, range, (currencies) =>
      clickhouse.run(adReport(model, level, currencies), { ...range, entity }),
    ),
    describe(clickhouse, range, level, [entity]),
  ])
  return { ...nothing, ...row, entity_id: entity, ...descriptionOf(entity) }
}

const nothing = {
  spend_minor: 0n,
  unrated_days: 0,
  impressions: 0,
  clicks: 0,
  reach: null,
  messaging_conversations_started_7d: null,
  cash_count: 0,
  first_payment_count: 0,
  cash_value: 0n,
  counts_by_type: {},
}

/** Of what no delivery ever described. */
const unknown = {
  platform: '',
  external_id: '',
  name: '',
  parent_name: '',
  campaign_external_id: '',
  ad_set_external_id: '',
  status: '',
  objective: '',
  campaign_objective: '',
  learning_stage_status: '',
  daily_budget_minor: null,
}

async function describe(clickhouse: Warehouse, range: Range, level: Level, entities: string[]) {
  const rows =
    entities.length > 0 ? await clickhouse.run(entityDescriptions(level), { profile: range.profile, entities }) : []
  const inReportingCurrency = await budgetsOf(clickhouse, range, rows)
  const known = new Map(rows.map((row) => [row.entity_id, row]))
  return (entity: string) => {
    const found = known.get(entity)
    if (!found) return unknown
    const { entity_id, budget_currency, ...description } = found
    return { ...description, daily_budget_minor: inReportingCurrency(found) }
  }
}

/** A daily budget is shown at the newest rate of the week before the last day; without one it is null. */
async function budgetsOf(clickhouse: Warehouse, { currency, to }: Range, rows: EntityDescription[]) {
  const isOther = (row: EntityDescription) => row.daily_budget_minor !== null && row.budget_currency !== currency
  const bases = [...new Set(rows.filter(isOther).map(({ budget_currency }) => budget_currency))]
  const rates = bases.length > 0 ? await clickhouse.run(newestRates, { currency, to, bases }) : []
  const rateOf = new Map(rates.map(({ base, minor_rate }) => [base, minor_rate]))
  return ({ daily_budget_minor: budget, budget_currency }: EntityDescription): bigint | null => {
    if (budget === null || budget_currency === currency) return budget
    const rate = rateOf.get(budget_currency)
    return rate ? atRate(budget, rate) : null
  }
}
