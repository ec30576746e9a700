import { z } from 'zod'
import { query } from '../query.ts'

const text = z.string().transform((value) => value || null)

/**
 * What came in, newest first. Candidates come from the receipts by time; hits and outcomes have the last word, so that an
 * event that has moved since is no longer there (`is_there`) at its old place.
 * A hit is told by its browser and its id; an outcome by its id alone, whoever's it was when it came, and has no browser.
 */
export const eventFeed = query({
  name: 'event_feed',
  params: z.object({
    profile: z.uuid(),
    /** Epoch milliseconds: from is included, to is not. */
    from: z.int(),
    to: z.int(),
    /** The place after which the page begins. */
    beforeTime: z.int(),
    beforeId: z.string(),
    beforeBrowser: z.string(),
    /** Empty lists and texts do not filter. */
    eventTypes: z.array(z.string()),
    sources: z.array(z.string()),
    channels: z.array(z.string()),
    visitor: z.string(),
    withBots: z.boolean(),
    limit: z.int(),
  }),
  row: z.object({
    event_id: z.uuid(),
    browser_id: z.string(),
    time: z.coerce.number(),
    is_there: z.boolean(),
    source: z.string(),
    event_type: z.string(),
    event_name: text,
    received_at: z.string(),
    visitor_id: z.uuid().nullable(),
    url: text,
    path: text,
    referrer: text,
    channel: text,
    traffic_source: text,
    medium: text,
    utm: z.record(z.string(), z.string()),
    click_id_kind: text,
    campaign_ref: text,
    ad_set_ref: text,
    ad_ref: text,
    provider: text,
    amount_minor: z.coerce.bigint().nullable(),
    currency: text,
    device: text,
    browser: text,
    os: text,
    country: text,
    city: text,
    is_bot: z.boolean(),
  }),
  sql: `
WITH
  candidates AS (
    SELECT event_time, event_id, if(source = 'tracker', subject_id, toUUIDOrZero('')) AS browser_id, source, event_type,
      receipt
    FROM event_receipts
    WHERE profile_id = {profile:UUID}
      AND event_time >= fromUnixTimestamp64Milli({from:Int64}) AND event_time < fromUnixTimestamp64Milli({to:Int64})
      AND (event_time < fromUnixTimestamp64Milli({beforeTime:Int64})
        OR (event_time = fromUnixTimestamp64Milli({beforeTime:Int64})
          AND (toString(event_id), toString(browser_id)) < ({beforeId:String}, {beforeBrowser:String})))
      AND (empty({eventTypes:Array(String)}) OR event_type IN {eventTypes:Array(String)})
      AND (empty({sources:Array(String)}) OR source IN {sources:Array(String)})
      AND (empty({channels:Array(String)}) OR channel IN {channels:Array(String)})
      AND ({visitor:String} = '' OR (source = 'tracker' AND subject_id = toUUIDOrZero({visitor:String})))
      AND ({withBots:Bool} OR NOT is_bot)
    ORDER BY event_time DESC, toString(event_id) DESC, toString(browser_id) DESC, receipt
    LIMIT 1 BY event_time, event_id, browser_id
    LIMIT {limit:UInt32}
  ),
  found AS (
    SELECT event_id, subject_id AS browser_id, event_time, event_name, received_at,
      toNullable(subject_id) AS visitor_id, url, path, referrer, toString(channel) AS channel,
      toString(source) AS traffic_source, toString(medium) AS medium, utm,
      toString(click_id_kind) AS click_id_kind, campaign_ref, ad_set_ref, ad_ref, '' AS provider,
      CAST(NULL AS Nullable(Int64)) AS amount_minor, '' AS currency, toString(device) AS device,
      toString(browser) AS browser, toString(os) AS os, toString(country) AS country, city, is_bot
    FROM hits FINAL
    WHERE profile_id = {profile:UUID}
      AND (subject_id, event_id) IN (SELECT browser_id, event_id FROM candidates WHERE source = 'tracker')
    UNION ALL
    SELECT outcome_id, toUUIDOrZero(''), occurred_at, event_name, received_at, visitor_id, url, path, '',
      toString(channel), toString(traffic_source), toString(medium), CAST(map(), 'Map(LowCardinality(String), String)'),
      toString(click_id_kind), campaign_ref, ad_set_ref, ad_ref, toString(provider), amount_minor, toString(currency),
      toString(device), toString(browser), toString(os), toString(country), city, false
    FROM outcomes FINAL
    WHERE profile_id = {profile:UUID} AND outcome_id IN (SELECT event_id FROM candidates WHERE source != 'tracker')
  )
SELECT c.event_id AS event_id, c.browser_id AS browser_id, toUnixTimestamp64Milli(c.event_time) AS time,
  toBool(f.event_time = c.event_time) AS is_there, toString(c.source) AS source, toString(c.event_type) AS event_type,
  f.* EXCEPT (event_id, browser_id, event_time)
FROM candidates AS c
LEFT JOIN found AS f ON f.event_id = c.event_id AND f.browser_id = c.browser_id
ORDER BY c.event_time DESC, toString(c.event_id) DESC, toString(c.browser_id) DESC`,
})
