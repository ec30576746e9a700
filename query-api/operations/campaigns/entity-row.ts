import { z } from 'zod'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { ratio } from '../../../domain/ratio.ts'
import { Level } from '../../../http/operation.ts'
import { knownSpend, Outcomes, outcomeFigures } from './figures.ts'
import type { EntityRow } from './report-reads.ts'

export const CampaignRow = z
  .object({
    campaign_id: z.uuid().meta({ description: 'Internal id of the row’s own entity, at every level.' }),
    campaign_name: z.string().meta({ description: 'Name of the row’s own entity on the ad platform.' }),
    spend: z.number().meta({
      description:
        'Ad spend in the reporting currency. Where a part of it has no exchange rate, every ratio of it is null.',
    }),
    ...Outcomes,
    roas: z.number().nullable().meta({ description: 'outcome_value by spend; null without spend.' }),
    cac_first_payment: z
      .number()
      .nullable()
      .meta({ description: 'spend by outcome_count_first_payment; null without first payments.' }),
  })
  .meta({ id: 'CampaignRow' })

export const LevelRow = CampaignRow.extend({
  entity_level: Level,
  platform: z.string().meta({ description: 'The ad platform.', examples: ['meta'] }),
  external_id: z.string().meta({ description: 'The platform’s id of the row’s own entity.' }),
  parent_name: z
    .string()
    .nullable()
    .meta({ description: 'Name of an ad set’s campaign or an ad’s ad set; null for a campaign.' }),
  impressions: z.int(),
  clicks: z.int(),
  reach: z.int().nullable().meta({ description: 'People reached; over several days the highest day’s figure.' }),
  reach_is_daily_max: z
    .literal(true)
    .meta({ description: 'Reach of several days cannot be added up: it is the highest day’s, of one ad.' }),
  ctr: z.number().nullable().meta({ description: 'Clicks by impressions, percent.' }),
  avg_cpm: z.number().nullable().meta({ description: 'Cost of 1,000 impressions.' }),
  avg_cpc: z.number().nullable().meta({ description: 'Cost of a click.' }),
  cac: z.number().nullable().meta({ description: 'spend by outcome_count; null without cash conversions.' }),
  status: z
    .string()
    .nullable()
    .meta({ examples: ['ACTIVE', 'PAUSED'] }),
  objective: z.string().nullable(),
  daily_budget: z
    .number()
    .nullable()
    .meta({ description: 'In the reporting currency; null when none is set or no exchange rate is known.' }),
  campaign_external_id: z.string().nullable().meta({ description: 'The platform’s id of the parent campaign.' }),
  ad_set_external_id: z.string().nullable().meta({ description: 'The platform’s id of the parent ad set.' }),
  messaging_conversations_started_7d: z
    .int()
    .nullable()
    .meta({ description: 'As the platform reports it, in its 7-day window.' }),
}).meta({ id: 'CampaignLevelRow' })

export function toCampaignRow(row: EntityRow, currency: string): z.input<typeof CampaignRow> {
  const spend = fromMinorAsNumber(row.spend_minor, currency)
  const known = knownSpend(row, spend)
  const outcomes = outcomeFigures(row, currency)
  return {
    campaign_id: row.entity_id,
    campaign_name: row.name,
    spend,
    ...outcomes,
    roas: ratio(outcomes.outcome_value, known),
    cac_first_payment: ratio(known, outcomes.outcome_count_first_payment),
  }
}

export function toLevelRow(row: EntityRow, level: Level, currency: string): z.input<typeof LevelRow> {
  const base = toCampaignRow(row, currency)
  const known = knownSpend(row, base.spend)
  return {
    ...base,
    entity_level: level,
    platform: row.platform,
    external_id: row.external_id,
    parent_name: row.parent_name || null,
    impressions: row.impressions,
    clicks: row.clicks,
    reach: row.reach,
    reach_is_daily_max: true,
    ctr: ratio(row.clicks * 100, row.impressions),
    avg_cpm: ratio(known && known * 1000, row.impressions),
    avg_cpc: ratio(known, row.clicks),
    cac: ratio(known, base.outcome_count),
    status: row.status || null,
    objective: row.objective || null,
    daily_budget: row.daily_budget_minor === null ? null : fromMinorAsNumber(row.daily_budget_minor, currency),
    campaign_external_id: level === 'campaign' ? null : row.campaign_external_id || null,
    ad_set_external_id: level === 'ad' ? row.ad_set_external_id || null : null,
    messaging_conversations_started_7d: row.messaging_conversations_started_7d,
  }
}
