import { z } from 'zod'
import { lookUp, query } from '../query.ts'

/**
 * The subjects of {customer} in {profile}, as a common table expression. A visitor's own id leads to its events as
 * long as it belongs to nobody.
 */
export const subjectsOfCustomer = `
  subjects AS (
    SELECT subject_id FROM identity_map FINAL
    WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID}
      AND subject_id IN (
        SELECT subject_id FROM customer_subjects WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID})
    UNION DISTINCT
    SELECT {customer:UUID} AS subject_id
    WHERE {customer:UUID} NOT IN (
      SELECT subject_id FROM identity_map FINAL WHERE profile_id = {profile:UUID} AND subject_id = {customer:UUID})
  )`

/**
 * Whose each of {customer}'s subjects is today, those that it once had among them, and the one of its own id if anybody
 * holds that: `subjectsOfCustomer` in its cheapest form, from which the caller takes them (`heldSubjects`).
 */
export const possibleSubjects = query({
  name: 'possible_subjects',
  params: z.object({ profile: z.uuid(), customer: z.uuid() }),
  row: z.object({ subject_id: z.uuid(), customer_id: z.uuid() }),
  sql: `
SELECT subject_id, customer_id FROM identity_map FINAL
WHERE profile_id = {profile:UUID} AND (subject_id = {customer:UUID} OR subject_id IN (
  SELECT subject_id FROM customer_subjects WHERE profile_id = {profile:UUID} AND customer_id = {customer:UUID}))
${lookUp}`,
})

export function heldSubjects(
  customer: string,
  possible: readonly { subject_id: string; customer_id: string }[],
): string[] {
  const held = possible.flatMap((row) => (row.customer_id === customer ? row.subject_id : []))
  return possible.some((row) => row.subject_id === customer) ? held : [...held, customer]
}

/** Milliseconds: later than every event. */
export const endOfTime = Number.MAX_SAFE_INTEGER
