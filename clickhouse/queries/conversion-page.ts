import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { creditedTo, inRange, reportParams } from './credited.ts'

/**
 * Conversions in range that the model credits to `{entity:UUID}`, or all of them without a level, newest first. A page
 * goes on after a conversion's (day, time, id): rows that come in meanwhile shift nothing. Days after the next one of
 * that day are not read; the next one is, since a change of time zone may have moved the conversion there.
 */
export const conversionPage = (model: Model, level: Level | undefined) =>
  query({
    name: `conversion_page_${model}_${level ?? 'all'}`,
    params: reportParams.extend({
      entity: z.uuid(),
      type: z.string(),
      limit: z.int(),
      after_day: z.iso.date(),
      after_ms: z.string(),
      after_id: z.string(),
    }),
    row: z.object({ conversion_id: z.uuid(), day: z.iso.date(), occurred_ms: z.coerce.number() }),
    sql: `
SELECT conversion_id, day, toUnixTimestamp64Milli(occurred_at) AS occurred_ms
FROM report_credits FINAL
WHERE ${level ? creditedTo(model, level) : inRange}
  AND day <= addDays({after_day:Date}, 1)
  AND ({type:String} = '' OR conversion_type = {type:String})
  AND ({after_id:String} = ''
    OR occurred_ms < toInt64({after_ms:String})
    OR (occurred_ms = toInt64({after_ms:String}) AND toString(conversion_id) > {after_id:String}))
ORDER BY occurred_ms DESC, toString(conversion_id)
LIMIT {limit:UInt32}
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
