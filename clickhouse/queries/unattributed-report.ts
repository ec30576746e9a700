import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { credited, everyConversion, reportParams, uncredited } from './credited.ts'

/** What is credited to no entity: conversions by type, and all cash in range less the cash credited. */
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
WITH
  by_type AS (
    SELECT toString(conversion_type) AS type, count() AS conversions, countIf(revenue_type = 'cash') AS cash_count,
      countIf(opens_first_payment) AS first_payment_count
    FROM (${uncredited(model, level)}
    )
    GROUP BY type
  ),
  everything AS (
    SELECT sumIf(toInt128(net_minor) * 1000000000, revenue_type = 'cash') AS value FROM (${everyConversion}
    )
  ),
  credit AS (
    SELECT sumIf(toInt128(net_minor) * weight, revenue_type = 'cash') AS value FROM (${credited(model, level)}
    )
  )
SELECT sum(cash_count) AS cash_count, sum(first_payment_count) AS first_payment_count,
  toString((SELECT value FROM everything) - (SELECT value FROM credit)) AS cash_value,
  mapFromArrays(groupArray(type), groupArray(conversions)) AS counts_by_type
FROM by_type
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
