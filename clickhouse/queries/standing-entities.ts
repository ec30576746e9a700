import { z } from 'zod'
import { lookUp, query } from '../query.ts'

/** What attribution knows of entities: their names and parents, as they stand. Ids of entities are unique across profiles. */
export const standingEntities = query({
  name: 'standing_entities',
  params: z.object({ profiles: z.array(z.uuid()), entities: z.array(z.uuid()) }),
  row: z.object({
    profile_id: z.uuid(),
    entity_id: z.uuid(),
    name: z.string(),
    campaign_id: z.uuid(),
    ad_set_id: z.uuid(),
    version: z.string(),
  }),
  sql: `
SELECT profile_id, entity_id, name, campaign_id, ad_set_id, toString(version) AS version FROM ad_entities FINAL
WHERE profile_id IN {profiles:Array(UUID)} AND level IN ('campaign', 'ad_set', 'ad') AND entity_id IN {entities:Array(UUID)}
${lookUp}`,
})
