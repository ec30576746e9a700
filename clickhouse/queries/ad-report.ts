import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { deliveryParams } from './delivery.ts'
import { described, EntityRow, entityColumns, entityFigures } from './entity-figures.ts'

/** One entity, with figures of zero where nothing happened in range. */
export const adReport = (model: Model, level: Level) =>
  query({
    name: `ad_report_${model}_${level}`,
    params: deliveryParams.extend({ entity: z.uuid() }),
    row: EntityRow,
    sql: `
WITH
  ${entityFigures(model, level, 'one')},
  asked AS (
    SELECT t.entity_id AS entity_id, f.* EXCEPT (entity_id)
    FROM (SELECT {entity:UUID} AS entity_id) AS t LEFT JOIN figures AS f ON f.entity_id = t.entity_id
  ),
  ${described(level, 'asked', 'one')}
SELECT ${entityColumns(level)}
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
