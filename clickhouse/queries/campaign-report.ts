import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { deliveryParams } from './delivery.ts'
import { described, EntityRow, entityColumns, entityFigures } from './entity-figures.ts'

/** What rows can be ranked by, highest first, as whole numbers: credit in billionths, so that a rank is exact. */
const ranks = {
  outcome_value: 'cash_value',
  outcome_count: 'toInt128(cash_count)',
  attributed_outcome_count: 'toInt128(arraySum(mapValues(counts_by_type)))',
  spend: 'toInt128(spend_minor)',
  roas: 'if(spend_minor = 0, toInt128(-1), intDiv(cash_value, spend_minor))',
  impressions: 'toInt128(impressions)',
  clicks: 'toInt128(clicks)',
}
export type CampaignSort = keyof typeof ranks
export const campaignSorts = Object.keys(ranks) as [CampaignSort, ...CampaignSort[]]

const RankedRow = EntityRow.extend({ rank: z.coerce.bigint() })

/**
 * One row an entity, ranked; equal ranks by spend, then by id, so that the order is the same at every call.
 * A page goes on after a row's (rank, spend, id): empty `after_id` is the first page. No platforms: all of them.
 */
export const campaignReport = (model: Model, level: Level, sort: CampaignSort) =>
  query({
    name: `campaign_report_${model}_${level}_${sort}`,
    params: deliveryParams.extend({
      limit: z.int(),
      platforms: z.array(z.string()),
      after_rank: z.string(),
      after_spend: z.string(),
      after_id: z.string(),
    }),
    row: RankedRow,
    sql: `
WITH
  ${entityFigures(model, level)},
  ranked AS (
    SELECT *, ${ranks[sort]} AS rank FROM figures
    WHERE ({after_id:String} = ''
        OR rank < toInt128({after_rank:String})
        OR (rank = toInt128({after_rank:String}) AND spend_minor < toInt64({after_spend:String}))
        OR (rank = toInt128({after_rank:String}) AND spend_minor = toInt64({after_spend:String})
          AND toString(entity_id) > {after_id:String}))
      AND (empty({platforms:Array(String)}) OR entity_id IN (
        SELECT entity_id FROM ad_entities FINAL
        WHERE profile_id = {profile:UUID} AND level = '${level}' AND platform IN {platforms:Array(String)}))
    ORDER BY rank DESC, spend_minor DESC, toString(entity_id)
    LIMIT {limit:UInt32}
  ),
  ${described(level, 'ranked')}
SELECT toString(r.rank) AS rank, ${entityColumns(level)}
ORDER BY r.rank DESC, r.spend_minor DESC, toString(r.entity_id)
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
