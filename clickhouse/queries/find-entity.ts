import { z } from 'zod'
import type { Level } from '../../domain/models.ts'
import { query } from '../query.ts'

/** An entity by its internal or its platform's id. No platforms: any of them. */
export const findEntity = (level: Level) =>
  query({
    name: `find_entity_${level}`,
    params: z.object({ profile: z.uuid(), id: z.string(), platforms: z.array(z.string()) }),
    row: z.object({ entity_id: z.uuid() }),
    sql: `
SELECT entity_id FROM ad_entities FINAL
WHERE profile_id = {profile:UUID} AND level = '${level}'
  AND (entity_id = toUUIDOrZero({id:String}) OR external_id = {id:String})
  AND (empty({platforms:Array(String)}) OR platform IN {platforms:Array(String)})
-- Two platforms may use the same id: the internal one is unique, and the first by name is always the same.
ORDER BY entity_id = toUUIDOrZero({id:String}) DESC, toString(platform)
LIMIT 1`,
  })
