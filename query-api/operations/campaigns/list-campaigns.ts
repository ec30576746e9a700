import { z } from 'zod'
import { campaignReport } from '../../../clickhouse/queries/campaign-report.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { DateRange, Level, limit, Model, page } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { Outcomes, outcomeFigures, ratio } from './figures.ts'

const CampaignRow = z
  .object({
    campaign_id: z.uuid().meta({ description: 'Internal id of the row’s own entity, at every level.' }),
    campaign_name: z.string(),
    spend: z.number().meta({ description: 'Ad spend in the reporting currency.' }),
    ...Outcomes,
    roas: z.number().nullable().meta({ description: 'outcome_value by spend; null without spend.' }),
    cac_first_payment: z.number().nullable().meta({ description: 'spend by outcome_count_first_payment.' }),
  })
  .meta({ id: 'CampaignRow' })

const LevelRow = CampaignRow.extend({
  external_id: z.string().meta({ description: 'The platform’s id of the row’s own entity.' }),
  entity_level: Level,
  parent_name: z.string().nullable(),
  impressions: z.int(),
  clicks: z.int(),
  reach: z.int().nullable(),
  reach_is_daily_max: z.literal(true).meta({ description: 'Over several days reach is the highest day’s.' }),
  ctr: z.number().nullable().meta({ description: 'Clicks by impressions, percent.' }),
  avg_cpm: z.number().nullable(),
  avg_cpc: z.number().nullable(),
  cac: z.number().nullable().meta({ description: 'spend by outcome_count.' }),
  status: z.string().nullable(),
  objective: z.string().nullable(),
  daily_budget: z.number().nullable(),
  campaign_external_id: z.string().nullable(),
  ad_set_external_id: z.string().nullable(),
  messaging_conversations_started_7d: z.int().nullable(),
}).meta({ id: 'CampaignLevelRow' })

export const listCampaigns = operation({
  id: 'listCampaigns',
  method: 'GET',
  url: '/campaigns',
  summary: 'Report what campaigns, ad sets or ads cost and earned',
  description: 'Ranked by credited cash. With `level` each row carries delivery figures and its parents as well.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  query: DateRange.safeExtend({
    model: Model.default('last_touch'),
    level: Level.optional(),
    limit: limit({ default: 10, max: 100 }),
  }),
  response: page(z.union([LevelRow, CampaignRow]), { meta: { date_from: z.string(), date_to: z.string() } }),
  handler: async ({ query, profile, clickhouse }) => {
    const { date_from, date_to, model, level, limit } = query
    const rows = await clickhouse.run(campaignReport(model, level ?? 'campaign'), {
      profile: profile.id,
      from: date_from,
      to: date_to,
      limit,
    })
    const money = (minor: bigint) => fromMinorAsNumber(minor, profile.reportingCurrency)
    const data = rows.map((row) => {
      const spend = money(row.spend_minor)
      const outcomes = outcomeFigures(row, profile.reportingCurrency)
      const base = {
        campaign_id: row.entity_id,
        campaign_name: row.name,
        spend,
        ...outcomes,
        roas: ratio(outcomes.outcome_value, spend),
        cac_first_payment: ratio(spend, outcomes.outcome_count_first_payment),
      }
      if (!level) return base
      const ctr = ratio(row.clicks * 100, row.impressions)
      return {
        ...base,
        external_id: row.external_id,
        entity_level: level,
        parent_name: row.parent_name || null,
        impressions: row.impressions,
        clicks: row.clicks,
        reach: row.reach,
        reach_is_daily_max: true as const,
        ctr,
        avg_cpm: ratio(spend * 1000, row.impressions),
        avg_cpc: ratio(spend, row.clicks),
        cac: ratio(spend, outcomes.outcome_count),
        status: row.status || null,
        objective: row.objective || null,
        daily_budget: row.daily_budget_minor === null ? null : money(row.daily_budget_minor),
        campaign_external_id: level === 'campaign' ? null : row.campaign_external_id || null,
        ad_set_external_id: level === 'ad' ? row.ad_set_external_id || null : null,
        messaging_conversations_started_7d: row.messaging_conversations_started_7d,
      }
    })
    return { data, meta: { date_from, date_to } }
  },
})
