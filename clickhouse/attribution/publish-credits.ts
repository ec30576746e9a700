import { z } from 'zod'
import { clickToMessageSources, paidChannels, paidSources } from '../../domain/ad-platforms.ts'
import { nobody } from '../nobody.ts'
import { statement } from '../query.ts'
import { sqlList } from '../sql-list.ts'

const params = z.object({ run: z.uuid() })

/** Written before the rows it is about, so that none is ever forgotten. */
export const rememberDays = statement({
  name: 'remember_report_days',
  params,
  sql: `
INSERT INTO report_days (profile_id, conversion_id, day)
SELECT profile_id, conversion_id, day FROM recompute_credits WHERE run_id = {run:UUID} AND NOT is_deleted AND is_eligible`,
})

const lastOccurrences = (values: string) =>
  `arrayReverse(arrayMap(n -> n = 1, arrayEnumerateUniq(arrayReverse(${values}))))`

export const publishReport = statement({
  name: 'publish_report_credits',
  params,
  sql: `
INSERT INTO report_credits (
  profile_id, day, conversion_id, occurred_at, conversion_type, revenue_type, net_minor, opens_first_payment,
  last_campaign, last_ad_set, last_ad, last_paid, first_campaign, first_ad_set, first_ad, first_paid,
  lnd_campaign, lnd_ad_set, lnd_ad, lnd_paid,
  a_campaign, a_ad_set, a_ad, a_paid, a_linear, a_decay, a_position, a_new_campaign, a_new_ad_set, a_new_ad,
  version, is_deleted)
WITH
  ${nobody} AS nobody,
  changed AS (SELECT * FROM recompute_credits WHERE run_id = {run:UUID}),
  rows AS (
    SELECT c.*, d.day AS report_day, (c.is_deleted OR NOT c.is_eligible OR d.day != c.day) AS is_gone
    FROM changed AS c
    INNER JOIN (
      SELECT profile_id, conversion_id, day FROM report_days FINAL
      WHERE (profile_id, conversion_id) IN (SELECT profile_id, conversion_id FROM changed)
    ) AS d ON d.profile_id = c.profile_id AND d.conversion_id = c.conversion_id
  ),
  -- The ad platform behind each paid click, by its source: what a click that named no ad is told by.
  paid AS (
    SELECT *, length(touch_ids) AS last, indexOf(last_non_direct, 1000000000) AS indirect,
      arrayMap((channel, source) -> if(
        has([${sqlList(paidChannels)}], channel) OR (channel = 'messaging' AND has([${sqlList(clickToMessageSources)}], source)),
        transform(toString(source), [${sqlList(paidSources.sources)}], [${sqlList(paidSources.platforms)}], ''), ''),
        channels, sources) AS platforms
    FROM rows
  ),
  -- Reports add up what names an entity or was paid for; the other touches only take their part of the weight.
  kept AS (
    SELECT *, arrayMap((campaign, platform) -> campaign != nobody OR platform != '', campaign_ids, platforms) AS is_kept
    FROM paid
  ),
  named AS (
    SELECT *,
      arrayFilter((id, keep) -> keep, campaign_ids, is_kept) AS campaigns,
      arrayFilter((id, keep) -> keep, ad_set_ids, is_kept) AS ad_sets,
      arrayFilter((id, keep) -> keep, ad_ids, is_kept) AS ads
    FROM kept
  )
SELECT profile_id, report_day, conversion_id, occurred_at, conversion_type, revenue_type, ifNull(net_minor, 0),
  opens_first_payment,
  campaign_ids[last], ad_set_ids[last], ad_ids[last], platforms[last],
  campaign_ids[1], ad_set_ids[1], ad_ids[1], platforms[1],
  campaign_ids[indirect], ad_set_ids[indirect], ad_ids[indirect], platforms[indirect],
  campaigns, ad_sets, ads, arrayFilter((platform, keep) -> keep, platforms, is_kept),
  arrayFilter((weight, keep) -> keep, linear, is_kept),
  arrayFilter((weight, keep) -> keep, time_decay, is_kept),
  arrayFilter((weight, keep) -> keep, position_based, is_kept),
  ${lastOccurrences('campaigns')}, ${lastOccurrences('ad_sets')}, ${lastOccurrences('ads')},
  version, is_gone
FROM named`,
})

export const publishCredits = statement({
  name: 'publish_credits',
  params,
  sql: `
INSERT INTO credits
SELECT * EXCEPT (run_id, created_at) FROM recompute_credits WHERE run_id = {run:UUID}`,
})
