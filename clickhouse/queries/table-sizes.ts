import { z } from 'zod'
import { query } from '../query.ts'

const tables = ['hits', 'outcomes', 'event_receipts', 'touches', 'credits', 'identity_map', 'ad_delivery']

/** The profile's rows in each table as they are stored, and their share of the bytes on disk. */
export const tableSizes = query({
  name: 'table_sizes',
  params: z.object({ profile: z.uuid() }),
  row: z.object({ name: z.string(), rows: z.coerce.number(), bytes: z.coerce.number() }),
  sql: `
SELECT c.name AS name, c.rows AS rows, toUInt64(if(p.rows = 0, 0, c.rows * p.bytes / p.rows)) AS bytes
FROM (
  ${tables
    .map((table) => `SELECT '${table}' AS name, count() AS rows FROM ${table} WHERE profile_id = {profile:UUID}`)
    .join('\n  UNION ALL ')}
) AS c
LEFT JOIN (
  SELECT table AS name, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
  WHERE active AND database = currentDatabase() GROUP BY name
) AS p ON p.name = c.name
ORDER BY name`,
})
