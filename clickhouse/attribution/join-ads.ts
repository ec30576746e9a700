import { z } from 'zod'
import { namings } from '../../domain/ad-references.ts'
import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'
import { sqlList } from '../sql-list.ts'

/**
 * Which ad each touch of the run names, and how. There are few ways of saying it among many touches, so each is looked
 * up once; the strongest one that leads to exactly one entity counts.
 */
export const joinAds = statement({
  name: 'join_ads',
  params: z.object({ run: z.uuid() }),
  sql: `
INSERT INTO recompute_ads (run_id, profile_id, reference, campaign_id, ad_set_id, ad_id, join_method)
WITH
  ${nobody} AS nobody,
  said AS (
    SELECT DISTINCT * FROM touch_references
    WHERE (profile_id, reference) IN (
      SELECT profile_id, reference FROM touches
      WHERE (profile_id, subject_id) IN (SELECT profile_id, subject_id FROM recompute_subjects WHERE run_id = {run:UUID})
        AND reference != 0)
  ),
  named AS (
    SELECT profile_id, reference, naming.1 AS rank, naming.2 AS kind, naming.3 AS value
    FROM said
    ARRAY JOIN [${namings.map(({ of, kind }, at) => `(${at + 1}, '${kind}', ${of})`).join(', ')}] AS naming
    WHERE value != ''
  ),
  entities AS (
    SELECT profile_id, kind, value, any(campaign_id) AS campaign_id, any(ad_set_id) AS ad_set_id, any(ad_id) AS ad_id
    FROM (
      SELECT profile_id, name.1 AS kind, name.2 AS value, campaign_id, ad_set_id,
        if(level = 'ad', entity_id, nobody) AS ad_id, entity_id
      FROM (
        SELECT * FROM ad_entities FINAL
        WHERE profile_id IN (SELECT profile_id FROM recompute_subjects WHERE run_id = {run:UUID})
      )
      ARRAY JOIN arrayFilter(pair -> pair.2 != '',
        [(toString(level), external_id), ('campaign_name', if(level = 'campaign', name, ''))]) AS name
    )
    GROUP BY profile_id, kind, value
    HAVING uniqExact(entity_id) = 1
  )
SELECT {run:UUID}, n.profile_id, n.reference, argMin(e.campaign_id, n.rank), argMin(e.ad_set_id, n.rank),
  argMin(e.ad_id, n.rank),
  [${sqlList(namings.map(({ joinMethod }) => joinMethod))}][min(n.rank)]
FROM named AS n
INNER JOIN entities AS e ON e.profile_id = n.profile_id AND e.kind = n.kind AND e.value = n.value
GROUP BY n.profile_id, n.reference`,
})
