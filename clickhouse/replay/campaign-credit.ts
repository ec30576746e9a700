import { z } from 'zod'
import type { Model } from '../../domain/models.ts'
import { credited } from '../queries/credited.ts'
import { query } from '../query.ts'

/** All credit of a profile under a model, by campaign; minor units times billionths, so that nothing is rounded. */
export const campaignCredit = (model: Model) =>
  query({
    name: `replay_campaign_credit_${model}`,
    params: z.object({ profile: z.uuid(), from: z.iso.date(), to: z.iso.date() }),
    row: z.object({
      campaign_id: z.uuid(),
      name: z.string(),
      outcome_count: z.coerce.number(),
      outcome_value: z.coerce.bigint(),
    }),
    sql: `
SELECT c.entity_id AS campaign_id, e.name AS name, c.outcome_count AS outcome_count,
  toString(c.outcome_value) AS outcome_value
FROM (
  SELECT entity_id, countIf(is_first AND revenue_type = 'cash') AS outcome_count,
    sumIf(toInt128(net_minor) * weight, revenue_type = 'cash') AS outcome_value
  FROM (${credited(model, 'campaign')})
  GROUP BY entity_id
) AS c
LEFT JOIN (
  SELECT entity_id, name FROM ad_entities FINAL WHERE profile_id = {profile:UUID} AND level = 'campaign'
) AS e ON e.entity_id = c.entity_id`,
  })
