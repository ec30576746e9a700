import { z } from 'zod'
import { oldestRateDays } from '../../domain/fx.ts'
import type { Level } from '../../domain/models.ts'
import { lookUp, query } from '../query.ts'
import { platformOf } from './delivery.ts'

/** What an entity is, as its newest delivery describes it; a budget is in its own currency. */
export const EntityDescription = z.object({
  entity_id: z.uuid(),
  platform: z.string(),
  external_id: z.string(),
  name: z.string(),
  parent_name: z.string(),
  campaign_external_id: z.string(),
  ad_set_external_id: z.string(),
  status: z.string(),
  objective: z.string(),
  campaign_objective: z.string(),
  learning_stage_status: z.string(),
  daily_budget_minor: z.coerce.bigint().nullable(),
  budget_currency: z.string(),
})
export type EntityDescription = z.infer<typeof EntityDescription>

const ofTheLevel = (level: Level) => `profile_id = {profile:UUID} AND level = '${level}'`

/** A campaign has no parent, an ad set's is its campaign, an ad's its ad set. */
const parents = { ad: 'ad_set', ad_set: 'campaign', campaign: undefined } as const

export function entityDescriptions(level: Level) {
  const parent = parents[level]
  return query({
    name: `entity_descriptions_${level}`,
    params: z.object({ profile: z.uuid(), entities: z.array(z.uuid()) }),
    row: EntityDescription,
    sql: `
SELECT e.entity_id AS entity_id, ${platformOf('e.platform')} AS platform, e.external_id AS external_id, e.name AS name,
  ${parent ? 'p.name' : "''"} AS parent_name, ${level === 'ad_set' ? 'p.objective' : "''"} AS campaign_objective,
  e.campaign_external_id AS campaign_external_id, e.ad_set_external_id AS ad_set_external_id, e.status AS status,
  e.objective AS objective, e.learning_stage_status AS learning_stage_status,
  e.daily_budget_minor AS daily_budget_minor, e.currency AS budget_currency
FROM (SELECT * FROM ad_entities FINAL WHERE ${ofTheLevel(level)} AND entity_id IN {entities:Array(UUID)}) AS e
${
  parent
    ? `LEFT JOIN (SELECT entity_id, name, objective FROM ad_entities FINAL WHERE ${ofTheLevel(parent)}) AS p
  ON p.entity_id = e.${parent}_id`
    : ''
}
${lookUp}`,
  })
}

/** The newest rate of the week up to a day, of each currency that has one. */
export const newestRates = query({
  name: 'newest_rates',
  params: z.object({ currency: z.string(), to: z.iso.date(), bases: z.array(z.string()) }),
  row: z.object({ base: z.string(), minor_rate: z.coerce.bigint() }),
  sql: `
SELECT base, toString(argMax(minor_rate, date)) AS minor_rate FROM fx_rates FINAL
WHERE quote = {currency:String} AND base IN {bases:Array(String)} AND date BETWEEN {to:Date} - ${oldestRateDays} AND {to:Date}
GROUP BY base`,
})
