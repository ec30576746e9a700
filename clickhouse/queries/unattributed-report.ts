import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { creditedWeight, inRange, reportParams } from './credited.ts'

/** What is credited to no entity: conversions of which nothing is, by type, and of cash whatever part is not. */
export const unattributedReport = (model: Model, level: Level) =>
  query({
    name: `unattributed_report_${model}_${level}`,
    params: reportParams,
    row: z.object({
      cash_count: z.coerce.number(),
      first_payment_count: z.coerce.number(),
      cash_value: z.coerce.bigint(),
      counts_by_type: z.record(z.string(), z.coerce.number()),
    }),
    sql: `
WITH by_type AS (
  SELECT toString(conversion_type) AS type, countIf(weight = 0) AS conversions,
    countIf(weight = 0 AND revenue_type = 'cash') AS cash_count,
    countIf(weight = 0 AND opens_first_payment) AS first_payment_count,
    sumIf(toInt128(net_minor) * (1000000000 - weight), revenue_type = 'cash') AS cash_value
  FROM (
    SELECT conversion_type, revenue_type, net_minor, opens_first_payment, ${creditedWeight(model, level)} AS weight
    FROM report_credits FINAL
    WHERE ${inRange}
  )
  GROUP BY type
)
SELECT sum(cash_count) AS cash_count, sum(first_payment_count) AS first_payment_count,
  toString(sum(cash_value)) AS cash_value, mapFromArrays(groupArray(type), groupArray(conversions)) AS counts_by_type
FROM by_type
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
