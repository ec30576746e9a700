import { z } from 'zod'
import { outcomesInForce } from '../attribution/outcomes-in-force.ts'
import { nobody } from '../nobody.ts'
import { query } from '../query.ts'

/** How far an assigned payer has come: known to the warehouse, and, where the payment is a conversion, credited. */
export const payerPropagation = query({
  name: 'payer_propagation',
  params: z.object({ profile: z.uuid(), payment: z.uuid() }),
  row: z.object({ version: z.coerce.number(), is_credited: z.boolean() }),
  sql: `
WITH
  ${nobody} AS nobody,
  outcome AS (
    ${outcomesInForce({
      outcomes: 'profile_id = {profile:UUID} AND outcome_id = {payment:UUID}',
      stages: 'profile_id = {profile:UUID}',
      columns: ['outcome_id', 'conversion_id', 'subject_id'],
    })}
  ),
  action AS (
    SELECT payment_id, payer_subject_id, version FROM payment_actions FINAL
    WHERE profile_id = {profile:UUID} AND payment_id = {payment:UUID} AND kind = 'payer'
  ),
  payer AS (
    SELECT o.outcome_id AS outcome_id, o.conversion_id AS conversion_id, o.event_type AS event_type, a.version AS version,
      if(a.payer_subject_id = nobody, o.subject_id, a.payer_subject_id) AS subject_id
    FROM outcome AS o LEFT JOIN action AS a ON a.payment_id = o.outcome_id
  ),
  mapped AS (
    SELECT subject_id, customer_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM payer)
  ),
  credited AS (
    SELECT conversion_id, customer_id FROM credits FINAL
    WHERE profile_id = {profile:UUID} AND conversion_id IN (SELECT conversion_id FROM payer)
  )
SELECT p.version AS version,
  toBool(p.event_type NOT IN (
      SELECT arrayJoin(event_types) FROM conversion_definitions FINAL WHERE profile_id = {profile:UUID})
    OR c.customer_id = if(m.customer_id = nobody, p.subject_id, m.customer_id)) AS is_credited
FROM payer AS p
LEFT JOIN mapped AS m ON m.subject_id = p.subject_id
LEFT JOIN credited AS c ON c.conversion_id = p.conversion_id`,
})
