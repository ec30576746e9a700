import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { type Currencies, deliveryParams } from './delivery.ts'
import { EntityFigures, entityFigures, figureColumns } from './entity-figures.ts'

/** What rows can be ranked by, highest first, as whole numbers: credit in billionths, so that a rank is exact. */
const ranks = {
  outcome_value: 'cash_value',
  outcome_count: 'toInt128(cash_count)',
  attributed_outcome_count: 'toInt128(arraySum(mapValues(counts_by_type)))',
  spend: 'toInt128(spend_minor)',
  // One that is not shown comes last.
  roas: 'if(spend_minor = 0 OR unrated_days > 0, toInt128(-1), intDiv(cash_value, spend_minor))',
  impressions: 'toInt128(impressions)',
  clicks: 'toInt128(clicks)',
}
export type CampaignSort = keyof typeof ranks
export const campaignSorts = Object.keys(ranks) as [CampaignSort, ...CampaignSort[]]

interface Page {
  currencies: Currencies
  /** Whether it goes on after a row's (rank, spend, id). */
  isLater: boolean
  /** Whether only some platforms are wanted. */
  isFiltered: boolean
}

const later = `(rank < toInt128({after_rank:String})
    OR (rank = toInt128({after_rank:String}) AND spend_minor < toInt64({after_spend:String}))
    OR (rank = toInt128({after_rank:String}) AND spend_minor = toInt64({after_spend:String})
      AND toString(entity_id) > {after_id:String}))`

const filtered = (level: Level) => `entity_id IN (
    SELECT entity_id FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${level}' AND platform IN {platforms:Array(String)})`

/**
 * One row an entity, ranked; equal ranks by spend, then by id, so that the order is the same at every call. Conditions
 * that a page does not need are left out: each costs planning.
 */
export function campaignReport(model: Model, level: Level, sort: CampaignSort, page: Page) {
  const conditions = [...(page.isLater ? [later] : []), ...(page.isFiltered ? [filtered(level)] : [])]
  return query({
    name: `campaign_report_${model}_${level}_${sort}`,
    params: deliveryParams.extend({
      limit: z.int(),
      platforms: z.array(z.string()),
      after_rank: z.string(),
      after_spend: z.string(),
      after_id: z.string(),
    }),
    row: EntityFigures.extend({ rank: z.coerce.bigint() }),
    sql: `
WITH ${entityFigures(model, level, page)}
SELECT ${figureColumns}, ${ranks[sort]} AS rank
FROM figures
${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''}
ORDER BY rank DESC, spend_minor DESC, toString(entity_id)
LIMIT {limit:UInt32}
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
}
