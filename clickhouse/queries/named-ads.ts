import { z } from 'zod'
import { query } from '../query.ts'

/** Everything in a click or an outcome that can name its ad; empty when it says nothing. */
export const adReferences = {
  ad_ref: z.string(),
  ad_set_ref: z.string(),
  campaign_ref: z.string(),
  tag_content: z.string(),
  tag_term: z.string(),
  tag_id: z.string(),
  tag_campaign: z.string(),
}

const text = z.string().transform((value) => value || null)

/** Ads, ad sets and campaigns by their platform ids, campaigns by their names as well, where only one is called so. */
export const namedAds = query({
  name: 'named_ads',
  params: z.object({ profile: z.uuid(), values: z.array(z.string()) }),
  row: z.object({
    kind: z.enum(['ad', 'ad_set', 'campaign', 'campaign_name']),
    value: z.string(),
    campaign_external_id: text,
    ad_set_external_id: text,
    ad_external_id: text,
    campaign_name: text,
  }),
  sql: `
WITH
  found AS (
    SELECT level, entity_id, external_id, name, campaign_id, campaign_external_id, ad_set_external_id
    FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID}
      AND (external_id IN {values:Array(String)} OR (level = 'campaign' AND name IN {values:Array(String)}))
  ),
  called AS (
    SELECT naming.1 AS kind, naming.2 AS value, any(campaign_id) AS campaign_id,
      any(if(level = 'campaign', external_id, campaign_external_id)) AS campaign_external_id,
      any(if(level = 'ad_set', external_id, ad_set_external_id)) AS ad_set_external_id,
      any(if(level = 'ad', external_id, '')) AS ad_external_id
    FROM found
    ARRAY JOIN [(toString(level), external_id), ('campaign_name', if(level = 'campaign', name, ''))] AS naming
    WHERE value != ''
    GROUP BY kind, value
    HAVING uniqExact(entity_id) = 1
  ),
  campaigns AS (
    SELECT entity_id, name FROM ad_entities FINAL
    WHERE profile_id = {profile:UUID} AND level = 'campaign' AND entity_id IN (SELECT campaign_id FROM called)
  )
SELECT c.kind AS kind, c.value AS value, c.campaign_external_id AS campaign_external_id,
  c.ad_set_external_id AS ad_set_external_id, c.ad_external_id AS ad_external_id, n.name AS campaign_name
FROM called AS c LEFT JOIN campaigns AS n ON n.entity_id = c.campaign_id`,
})
