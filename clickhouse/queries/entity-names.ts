import { z } from 'zod'
import { query } from '../query.ts'

/** What entities of any level are called. */
export const entityNames = query({
  name: 'entity_names',
  params: z.object({ profile: z.uuid(), entities: z.array(z.uuid()) }),
  row: z.object({ entity_id: z.uuid(), name: z.string() }),
  sql: `
SELECT entity_id, name FROM ad_entities FINAL
WHERE profile_id = {profile:UUID} AND level IN ('campaign', 'ad_set', 'ad') AND entity_id IN {entities:Array(UUID)}`,
})
