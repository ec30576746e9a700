import { z } from 'zod'
import { navigationTypes } from '../../domain/navigation.ts'
import { isStaged, outcomesInForce } from '../attribution/outcomes-in-force.ts'
import { nobody } from '../nobody.ts'
import { lookUp, mostIds, query } from '../query.ts'
import { sqlList } from '../sql-list.ts'
import { adReferences } from './named-ads.ts'
import { subjectsOfCustomer } from './subjects-of-customer.ts'

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
  ...adReferences,
  /** Of events of this kind in the whole journey. */
  total_count: z.coerce.number(),
})
export type JourneyRow = z.infer<typeof JourneyRow>

const params = z.object({
  profile: z.uuid(),
  customer: z.uuid(),
  subjects: z.array(z.uuid()).max(mostIds),
  /** Epoch milliseconds; later events are left out. */
  until: z.int(),
  skip: z.int(),
  limit: z.int(),
})

const outcomeColumns = `outcome_id AS id, toString(event_type) AS event_type,
  if(event_name = '', event_type, event_name) AS event_name, occurred_at AS event_time, url, path, channel,
  if(provider != '', toString(provider), toString(traffic_source)) AS source, medium, amount_minor, currency, device,
  browser, os, country, city, ad_ref, ad_set_ref, campaign_ref, '' AS tag_content, '' AS tag_term, '' AS tag_id,
  '' AS tag_campaign, count() OVER () AS total_count`
const inOrder = `
  AND toUnixTimestamp64Milli(occurred_at) <= {until:Int64}
ORDER BY event_time, toString(id)
LIMIT {limit:UInt32} OFFSET {skip:UInt32}
${lookUp}`

/** The reads of a journey; `subjects` is whatever says whose they are. */
const journeyReads = (subjects: string, preface = '') => {
  const ofTheSubjects = `profile_id = {profile:UUID} AND subject_id IN ${subjects}`
  const theirOutcomes = `SELECT outcome_id FROM subject_outcomes WHERE ${ofTheSubjects}`
  const { profile, customer } = params.shape
  const whose = z.object({ profile, customer, subjects: params.shape.subjects })
  return {
    /** Page views and identifications, in order of time. */
    hits: query({
      name: 'journey_hits',
      params,
      row: JourneyRow,
      sql: `${preface}
SELECT event_id AS id, toString(event_type) AS event_type, if(event_name = '', event_type, event_name) AS event_name,
  event_time, url, path, channel, source, medium, NULL AS amount_minor, '' AS currency, device, browser, os, country, city,
  ad_ref, ad_set_ref, campaign_ref, utm['content'] AS tag_content, utm['term'] AS tag_term, utm['id'] AS tag_id,
  utm['campaign'] AS tag_campaign, count() OVER () AS total_count
FROM hits FINAL
WHERE ${ofTheSubjects} AND hits.event_type IN (${sqlList(navigationTypes)}) AND NOT is_bot
  AND toUnixTimestamp64Milli(event_time) <= {until:Int64}
ORDER BY event_time, toString(id)
LIMIT {limit:UInt32} OFFSET {skip:UInt32}
${lookUp}`,
    }),

    /**
     * Outcomes of every source, in order of time, as they count: a deal as what its stage says, a payment with its
     * assigned payer.
     */
    outcomes: query({
      name: 'journey_outcomes',
      params,
      row: JourneyRow,
      sql: `${preface}
SELECT ${outcomeColumns}
FROM (${outcomesInForce({
        outcomes: `profile_id = {profile:UUID} AND outcome_id IN (${theirOutcomes})`,
        stages: 'profile_id = {profile:UUID}',
      })}
) AS f
LEFT JOIN (
  SELECT payment_id, payer_subject_id FROM payment_actions FINAL
  WHERE profile_id = {profile:UUID} AND kind = 'payer' AND payment_id IN (${theirOutcomes})
) AS p ON p.payment_id = f.outcome_id
WHERE f.event_type != ''
  AND if(p.payer_subject_id = ${nobody}, f.subject_id, p.payer_subject_id)
    IN ${subjects}${inOrder}`,
    }),

    /**
     * The same by what outcomes themselves say: it holds unless one of them is a deal in a stage, or has an assigned payer
     * (`assignedPayers`). To ask for both at once would cost twice what the rest does.
     */
    plainOutcomes: query({
      name: 'plain_outcomes',
      params,
      row: JourneyRow.extend({ any_staged: z.boolean() }),
      sql: `${preface}
SELECT ${outcomeColumns}, toBool(max(${isStaged('outcomes.')}) OVER ()) AS any_staged
FROM outcomes FINAL
WHERE profile_id = {profile:UUID} AND outcome_id IN (${theirOutcomes}) AND subject_id IN ${subjects}
  AND outcomes.event_type != ''${inOrder}`,
    }),

    /** A payment of theirs that was ever given to a payer. */
    assignedPayers: query({
      name: 'assigned_payers',
      params: whose,
      row: z.object({ payment_id: z.uuid() }),
      sql: `${preface}
SELECT payment_id FROM payment_actions
WHERE profile_id = {profile:UUID} AND kind = 'payer' AND payment_id IN (${theirOutcomes})
LIMIT 1
${lookUp}`,
    }),

    /** Which of these events are touches: hits that started a session, outcomes that stand for an off-site click. */
    touchesAmong: query({
      name: 'touches_among',
      params: whose.extend({ events: z.array(z.uuid()) }),
      row: z.object({ touch_id: z.uuid(), is_synthetic: z.boolean() }),
      sql: `${preface}
SELECT touch_id, is_synthetic FROM touches FINAL
WHERE ${ofTheSubjects} AND touch_id IN {events:Array(UUID)}
${lookUp}`,
    }),
  }
}

const byList = journeyReads('{subjects:Array(UUID)}')
const byCustomer = journeyReads('(SELECT subject_id FROM subjects)', `WITH ${subjectsOfCustomer}`)

interface Whose {
  profile: string
  customer: string
  subjects: string[]
}

export type Journey = ReturnType<typeof readsOf>

/** A list is the cheapest; of more subjects than one parameter holds the engine looks for them itself. */
export const readsOf = ({ subjects, ...whose }: Whose) =>
  subjects.length > mostIds
    ? { reads: byCustomer, whose: { ...whose, subjects: [] } }
    : { reads: byList, whose: { ...whose, subjects } }
