import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'

export const reportParams = z.object({ profile: z.uuid(), from: z.iso.date(), to: z.iso.date() })

const singleCredit: Partial<Record<Model, string>> = {
  last_touch: 'last',
  first_touch: 'first',
  last_non_direct: 'lnd',
}
const multiCredit: Partial<Record<Model, string>> = {
  linear: 'a_linear',
  time_decay: 'a_decay',
  position_based: 'a_position',
}

const inRange = `profile_id = {profile:UUID} AND day BETWEEN {from:Date} AND {to:Date}`
const nobody = `toUUID('00000000-0000-0000-0000-000000000000')`

/**
 * Of every conversion in range, the entities of the level that the model credits: entity_id, weight in billionths, and
 * is_first, true once for each entity of a conversion. Only the columns of the model and level are read.
 */
export function credited(model: Model, level: Level): string {
  const single = singleCredit[model]
  if (single) {
    return `
    SELECT ${single}_${level} AS entity_id, true AS is_first, toUInt32(1000000000) AS weight,
      conversion_type, revenue_type, net_minor, opens_first_payment
    FROM report_credits FINAL
    WHERE ${inRange} AND entity_id != ${nobody}`
  }
  return `
    SELECT entity_id, is_first, weight, conversion_type, revenue_type, net_minor, opens_first_payment
    FROM report_credits FINAL
    ARRAY JOIN a_${level} AS entity_id, a_new_${level} AS is_first, ${multiCredit[model]} AS weight
    WHERE ${inRange} AND entity_id != ${nobody}`
}

/** Conversions in range that the model credits to no entity of the level. */
export function uncredited(model: Model, level: Level): string {
  const single = singleCredit[model]
  const named = single ? `${single}_${level} != ${nobody}` : `arrayExists(id -> id != ${nobody}, a_${level})`
  return `
    SELECT conversion_type, revenue_type, net_minor, opens_first_payment FROM report_credits FINAL
    WHERE ${inRange} AND NOT (${named})`
}

/** All conversions in range. */
export const everyConversion = `
    SELECT conversion_type, revenue_type, net_minor FROM report_credits FINAL WHERE ${inRange}`
