import { z } from 'zod'
import { statement } from '../query.ts'

const params = z.object({ run: z.uuid() })

/**
 * The order matters after a crash: `credits`, which the next run compares with, is written last, so that whatever a
 * run left undone is found changed again; `report_days` is written first, so that no report row is ever forgotten.
 */
export const rememberDays = statement({
  name: 'remember_report_days',
  params,
  sql: `
INSERT INTO report_days (profile_id, conversion_id, day)
SELECT profile_id, conversion_id, day FROM recompute_credits WHERE run_id = {run:UUID} AND NOT is_deleted AND is_eligible`,
})

export const publishReport = statement({
  name: 'publish_report_credits',
  params,
  sql: `
INSERT INTO report_credits (
  profile_id, day, conversion_id, conversion_type, revenue_type, net_minor, opens_first_payment,
  last_campaign, last_ad_set, last_ad, first_campaign, first_ad_set, first_ad, lnd_campaign, lnd_ad_set, lnd_ad,
  a_campaign, a_ad_set, a_ad, a_linear, a_decay, a_position, a_new_campaign, a_new_ad_set, a_new_ad, version, is_deleted)
WITH
  changed AS (SELECT * FROM recompute_credits WHERE run_id = {run:UUID}),
  rows AS (
    SELECT c.*, d.day AS report_day, (c.is_deleted OR NOT c.is_eligible OR d.day != c.day) AS is_gone
    FROM changed AS c
    INNER JOIN (
      SELECT profile_id, conversion_id, day FROM report_days FINAL
      WHERE (profile_id, conversion_id) IN (SELECT profile_id, conversion_id FROM changed)
    ) AS d ON d.profile_id = c.profile_id AND d.conversion_id = c.conversion_id
  )
SELECT profile_id, report_day, conversion_id, conversion_type, revenue_type, ifNull(net_minor, 0), opens_first_payment,
  campaign_ids[length(touch_ids)], ad_set_ids[length(touch_ids)], ad_ids[length(touch_ids)],
  campaign_ids[1], ad_set_ids[1], ad_ids[1],
  campaign_ids[indexOf(last_non_direct, 1000000000)], ad_set_ids[indexOf(last_non_direct, 1000000000)],
  ad_ids[indexOf(last_non_direct, 1000000000)],
  arrayFilter((id, campaign) -> campaign != nobody, campaign_ids, campaign_ids) AS campaigns,
  arrayFilter((id, campaign) -> campaign != nobody, ad_set_ids, campaign_ids) AS ad_sets,
  arrayFilter((id, campaign) -> campaign != nobody, ad_ids, campaign_ids) AS ads,
  arrayFilter((w, campaign) -> campaign != nobody, linear, campaign_ids),
  arrayFilter((w, campaign) -> campaign != nobody, time_decay, campaign_ids),
  arrayFilter((w, campaign) -> campaign != nobody, position_based, campaign_ids),
  arrayMap(n -> n = 1, arrayEnumerateUniq(campaigns)),
  arrayMap(n -> n = 1, arrayEnumerateUniq(ad_sets)),
  arrayMap(n -> n = 1, arrayEnumerateUniq(ads)),
  version, is_gone
FROM (SELECT *, toUUID('00000000-0000-0000-0000-000000000000') AS nobody FROM rows)`,
})

export const publishCredits = statement({
  name: 'publish_credits',
  params,
  sql: `
INSERT INTO credits
SELECT * EXCEPT (run_id, created_at) FROM recompute_credits WHERE run_id = {run:UUID}`,
})
