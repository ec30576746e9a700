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

/** Milliseconds: later than every event. */
export const endOfTime = Number.MAX_SAFE_INTEGER
