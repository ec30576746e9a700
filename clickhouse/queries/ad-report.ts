import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { reportParams } from './credited.ts'
import { described, EntityRow, entityColumns, entityFigures } from './entity-figures.ts'

/** One entity, found by its internal or its platform's id, with figures of zero where nothing happened in range. */
export const adReport = (model: Model, level: Level) =>
  query({
    name: `ad_report_${model}_${level}`,
    params: reportParams.extend({ id: z.string(), platforms: z.array(z.string()) }),
    row: EntityRow,
    sql: `
WITH
  target AS (
    SELECT entity_id FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = '${level}'
      AND (entity_id = toUUIDOrZero({id:String}) OR external_id = {id:String})
      AND (empty({platforms:Array(String)}) OR platform IN {platforms:Array(String)})
    -- Two platforms may use the same id: the internal one is unique, and the first by name is always the same.
    ORDER BY entity_id = toUUIDOrZero({id:String}) DESC, toString(platform)
    LIMIT 1
  ),
  ${entityFigures(model, level, 'entity_id IN (SELECT entity_id FROM target)')},
  found AS (
    SELECT t.entity_id AS entity_id, f.* EXCEPT (entity_id) FROM target AS t LEFT JOIN figures AS f ON f.entity_id = t.entity_id
  ),
  ${described(level, 'found')}
SELECT ${entityColumns(level)}
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
