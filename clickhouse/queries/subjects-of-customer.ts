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

/** The same by itself: what needs them more than once takes them as a parameter, since each mention would run it again. */
export const customerSubjects = query({
  name: 'customer_subjects',
  params: z.object({ profile: z.uuid(), customer: z.uuid() }),
  row: z.object({ subject_id: z.uuid() }),
  sql: `WITH ${subjectsOfCustomer} SELECT subject_id FROM subjects ${lookUp}`,
})

/** Milliseconds: later than every event. */
export const endOfTime = Number.MAX_SAFE_INTEGER
