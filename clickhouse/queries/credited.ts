import { z } from 'zod'
import type { Level, Model } from '../../domain/models.ts'
import { nobody } from '../nobody.ts'

export const reportParams = z.object({ profile: z.uuid(), from: z.iso.date(), to: z.iso.date() })

/** Models that give a conversion to one touch whole; the others share it. */
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

export const isSingleCredit = (model: Model): boolean => model in singleCredit

export const inRange = `profile_id = {profile:UUID} AND day BETWEEN {from:Date} AND {to:Date}`
const figures = 'conversion_type, revenue_type, net_minor, opens_first_payment'

/**
 * Of every conversion in range, the entities of the level that the model credits: entity_id, weight in billionths, and
 * is_first, true once for each entity of a conversion. Only the columns of the model and level are read.
 * A touch whose share is rounded to nothing earns nothing, and does not count (SPEC 2.6 rule 1).
 */
export function credited(model: Model, level: Level, columns = figures): string {
  const single = singleCredit[model]
  if (single) {
    return `
    SELECT ${single}_${level} AS entity_id, true AS is_first, toUInt32(1000000000) AS weight, ${columns}
    FROM report_credits FINAL
    WHERE ${inRange} AND entity_id != ${nobody}`
  }
  return `
    SELECT entity_id, is_first, weight, ${columns}
    FROM report_credits FINAL
    ARRAY JOIN a_${level} AS entity_id, a_new_${level} AS is_first, ${multiCredit[model]} AS weight
    WHERE ${inRange} AND entity_id != ${nobody} AND weight > 0`
}

/** Credit of paid clicks that name no entity of the level: the platform by the click's source, the campaign if it names one. */
export function unassigned(model: Model, level: Level, columns = figures): string {
  const single = singleCredit[model]
  if (single) {
    return `
    SELECT ${single}_campaign AS campaign_id, toString(${single}_paid) AS paid, toUInt32(1000000000) AS weight, ${columns}
    FROM report_credits FINAL
    WHERE ${inRange} AND ${single}_${level} = ${nobody} AND (campaign_id != ${nobody} OR paid != '')`
  }
  const also = level === 'campaign' ? '' : `, a_${level} AS entity_id`
  return `
    SELECT campaign_id, toString(click) AS paid, weight, ${columns}
    FROM report_credits FINAL
    ARRAY JOIN a_campaign AS campaign_id, a_paid AS click, ${multiCredit[model]} AS weight${also}
    WHERE ${inRange} AND ${level === 'campaign' ? 'campaign_id' : 'entity_id'} = ${nobody} AND weight > 0`
}

/** How much of a conversion the model credits to entities of the level, in billionths. */
export function creditedWeight(model: Model, level: Level): string {
  const single = singleCredit[model]
  if (single) return `if(${single}_${level} != ${nobody}, toUInt32(1000000000), toUInt32(0))`
  return `arraySum((id, weight) -> if(id != ${nobody}, weight, 0), a_${level}, ${multiCredit[model]})`
}

/** Conversions in range of which the model credits something to the entity `{entity:UUID}`. */
export function creditedTo(model: Model, level: Level): string {
  const single = singleCredit[model]
  if (single) return `${inRange} AND ${single}_${level} = {entity:UUID}`
  return `${inRange} AND arrayExists((id, weight) -> id = {entity:UUID} AND weight > 0, a_${level}, ${multiCredit[model]})`
}
