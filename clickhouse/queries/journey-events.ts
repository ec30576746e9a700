import { z } from 'zod'
import { outcomesInForce } from '../attribution/outcomes-in-force.ts'
import { lookUp, query } from '../query.ts'
import { adReferences } from './named-ads.ts'

const text = z.string().transform((value) => value || null)

/** An event of a journey in full. */
const JourneyRow = z.object({
  id: z.uuid(),
  event_type: z.string(),
  event_name: z.string(),
  event_time: z.string(),
  url: text,
  path: text,
  channel: text,
  source: text,
  medium: text,
  amount_minor: z.coerce.bigint().nullable(),
  currency: text,
  device: text,
  browser: text,
  os: text,
  country: text,
  city: text,
  is_synthetic: z.boolean(),
  is_touch: z.boolean(),
  ...adReferences,
})
export type JourneyRow = z.infer<typeof JourneyRow>

const ids = { profile: z.uuid(), subjects: z.array(z.uuid()) }
const touchesOf = (events: string, isSynthetic: boolean) => `
  SELECT touch_id FROM touches FINAL
  WHERE profile_id = {profile:UUID} AND subject_id IN {subjects:Array(UUID)} AND touch_id IN {${events}:Array(UUID)}
    AND is_synthetic = ${isSynthetic}`

/** Hits of these subjects. In no order. */
export const journeyHits = query({
  name: 'journey_hits',
  params: z.object({ ...ids, hits: z.array(z.uuid()) }),
  row: JourneyRow,
  sql: `
SELECT event_id AS id, toString(event_type) AS event_type, if(event_name = '', event_type, event_name) AS event_name,
  event_time, url, path, channel, source, medium, NULL AS amount_minor, '' AS currency, device, browser, os, country, city,
  false AS is_synthetic, toBool(event_id IN (${touchesOf('hits', false)})) AS is_touch,
  ad_ref, ad_set_ref, campaign_ref, utm['content'] AS tag_content, utm['term'] AS tag_term, utm['id'] AS tag_id,
  utm['campaign'] AS tag_campaign
FROM hits FINAL
WHERE profile_id = {profile:UUID} AND subject_id IN {subjects:Array(UUID)} AND event_id IN {hits:Array(UUID)}
${lookUp}`,
})

/** Outcomes of these subjects. In no order. */
export const journeyOutcomes = query({
  name: 'journey_outcomes',
  params: z.object({ ...ids, outcomes: z.array(z.uuid()) }),
  row: JourneyRow,
  sql: `
SELECT outcome_id AS id, toString(event_type) AS event_type, if(event_name = '', event_type, event_name) AS event_name,
  occurred_at AS event_time, url, path, channel, if(provider != '', toString(provider), toString(traffic_source)) AS source,
  medium, amount_minor, currency, device, browser, os, country, city,
  toBool(outcome_id IN (${touchesOf('outcomes', true)})) AS is_synthetic, is_synthetic AS is_touch,
  ad_ref, ad_set_ref, campaign_ref, '' AS tag_content, '' AS tag_term, '' AS tag_id, '' AS tag_campaign
FROM (${outcomesInForce({
    outcomes: 'profile_id = {profile:UUID} AND outcome_id IN {outcomes:Array(UUID)}',
    stages: 'profile_id = {profile:UUID}',
  })}
)
${lookUp}`,
})
