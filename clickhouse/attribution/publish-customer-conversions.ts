import { z } from 'zod'
import { statement } from '../query.ts'

const params = z.object({ run: z.uuid() })

/** Before `credits` is written: a conversion that changes its goal or time gets a tombstone where that last had it. */
export const publishGoals = statement({
  name: 'publish_goal_conversions',
  params,
  sql: `
INSERT INTO goal_conversions (
  profile_id, conversion_type, newest_first, conversion_id, customer_id, day, version, is_deleted)
WITH
  changed AS (
    SELECT profile_id, conversion_id, conversion_type, occurred_at, customer_id, day, version, is_deleted
    FROM recompute_credits WHERE run_id = {run:UUID}
  ),
  standing AS (
    SELECT profile_id, conversion_id, conversion_type, occurred_at, customer_id, day FROM credits FINAL
    WHERE (profile_id, conversion_id) IN (SELECT profile_id, conversion_id FROM changed)
  )
SELECT s.profile_id, s.conversion_type, -toUnixTimestamp64Milli(s.occurred_at), s.conversion_id, s.customer_id, s.day,
  c.version, 1
FROM standing AS s
INNER JOIN changed AS c ON c.profile_id = s.profile_id AND c.conversion_id = s.conversion_id
WHERE c.is_deleted OR c.conversion_type != s.conversion_type OR c.occurred_at != s.occurred_at
UNION ALL
SELECT profile_id, conversion_type, -toUnixTimestamp64Milli(occurred_at), conversion_id, customer_id, day, version, 0
FROM changed WHERE NOT is_deleted`,
})

export const rememberCustomers = statement({
  name: 'remember_customer_conversions',
  params,
  sql: `
INSERT INTO customer_conversions (profile_id, customer_id, conversion_id)
SELECT profile_id, customer_id, conversion_id FROM recompute_credits WHERE run_id = {run:UUID} AND NOT is_deleted`,
})
