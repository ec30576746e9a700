import { z } from 'zod'
import { nobody } from '../nobody.ts'
import { query } from '../query.ts'

/** Who payments were for, and whose each payment is: its assigned payer's, or else of whom its sender named. */
const heldRefs = (outcomes: string) => `
    SELECT o.token AS token, if(p.payer_subject_id = nobody, o.subject_id, p.payer_subject_id) AS holder
    FROM (
      SELECT outcome_id, subject_id, assumeNotNull(subject_ref) AS token FROM outcomes FINAL
      WHERE profile_id = {profile:UUID} AND subject_ref IS NOT NULL AND ${outcomes}
    ) AS o
    LEFT JOIN (
      SELECT payment_id, payer_subject_id FROM payment_actions FINAL
      WHERE profile_id = {profile:UUID} AND kind = 'payer'
    ) AS p ON p.payment_id = o.outcome_id`

/** Tokens of who payments of these customers were for, each with the subjects of others that it is of as well. */
export const subjectRefsOfCustomers = query({
  name: 'subject_refs_of_customers',
  params: z.object({ profile: z.uuid(), customers: z.array(z.uuid()) }),
  row: z.object({ token: z.uuid(), others: z.array(z.uuid()) }),
  sql: `
WITH
  ${nobody} AS nobody,
  subjects AS (
    SELECT subject_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)}
      AND subject_id IN (
        SELECT subject_id FROM customer_subjects
        WHERE profile_id = {profile:UUID} AND customer_id IN {customers:Array(UUID)})
  ),
  possible AS (${heldRefs(`outcome_id IN (
        SELECT outcome_id FROM subject_outcomes
        WHERE profile_id = {profile:UUID} AND subject_id IN (SELECT subject_id FROM subjects))`)}
  ),
  own AS (SELECT token FROM possible WHERE holder IN (SELECT subject_id FROM subjects)),
  everybodys AS (${heldRefs('subject_ref IN (SELECT token FROM own)')}
  )
SELECT token, groupUniqArrayIf(holder, holder NOT IN (SELECT subject_id FROM subjects)) AS others
FROM everybodys GROUP BY token`,
})
