import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { query } from '../query.ts'
import { type Currencies, deliveryParams } from './delivery.ts'
import { EntityFigures, entityFigures, figureColumns } from './entity-figures.ts'

/** Figures of one entity; no row when nothing happened in range. */
export const adReport = (model: Model, level: Level, currencies: Currencies) =>
  query({
    name: `ad_report_${model}_${level}`,
    params: deliveryParams.extend({ entity: z.uuid() }),
    row: EntityFigures,
    sql: `
WITH ${entityFigures(model, level, { currencies, which: 'one' })}
SELECT ${figureColumns} FROM figures
SETTINGS do_not_merge_across_partitions_select_final = 1`,
  })
