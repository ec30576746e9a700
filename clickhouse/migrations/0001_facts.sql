-- Facts as they came. Sort keys carry the immutable subject, never the customer: a merge rewrites the map, not these.
CREATE TABLE IF NOT EXISTS hits (
  profile_id UUID COMMENT 'The profile whose site was visited',
  subject_id UUID COMMENT 'The visitor: one browser, anonymous by itself',
  event_id UUID COMMENT 'The id the tracker gave the hit',
  event_type LowCardinality(String) COMMENT 'page_view, or what the site calls it',
  event_name String COMMENT 'A more specific name, empty when none',
  event_time DateTime64(3, 'UTC') COMMENT 'When it happened, the sender''s clock skew taken out',
  received_at DateTime64(3, 'UTC') COMMENT 'When the collector took it',
  url String COMMENT 'Page address with its query reduced to tags and click ids',
  path String COMMENT 'Path of the page address',
  referrer String COMMENT 'Referring page without its query',
  channel LowCardinality(String) COMMENT 'Classified marketing channel',
  source LowCardinality(String) COMMENT 'Traffic source',
  medium LowCardinality(String) COMMENT 'Traffic medium',
  is_direct Bool COMMENT 'No click id, no tag, no foreign referrer',
  signature String COMMENT 'What the visit came by; a new one starts a new session',
  utm Map(LowCardinality(String), String) COMMENT 'UTM tags without their prefix',
  click_id_kind LowCardinality(String) COMMENT 'Kind of the click id that classified the hit, empty when none',
  campaign_ref String COMMENT 'Campaign id in the service''s URL parameters',
  ad_set_ref String COMMENT 'Ad set id in the service''s URL parameters',
  ad_ref String COMMENT 'Ad id in the service''s URL parameters',
  device LowCardinality(String) COMMENT 'desktop, mobile, tablet, or empty when unknown',
  browser LowCardinality(String) COMMENT 'Browser name',
  os LowCardinality(String) COMMENT 'Operating system',
  country LowCardinality(String) COMMENT 'ISO country code, empty when unknown',
  city String COMMENT 'City, empty when unknown',
  is_bot Bool COMMENT 'Recognised as a bot; kept out of touches',
  version UInt128 COMMENT 'Complement of the message''s version: the first receipt of an event id wins'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, subject_id, event_id)
SETTINGS index_granularity = 512, min_compress_block_size = 4096, max_compress_block_size = 16384
COMMENT 'Tracker hits, one row an event id';

CREATE TABLE IF NOT EXISTS outcomes (
  profile_id UUID COMMENT 'The profile the outcome was recorded on',
  outcome_id UUID COMMENT 'The id that ingest answered with (outcome_event_id)',
  conversion_id UUID COMMENT 'Id of the conversion this outcome becomes under a definition',
  subject_id UUID COMMENT 'Whose it is: the strongest identifier''s token, else the visitor',
  source LowCardinality(String) COMMENT 'tracker, server, crm or payment',
  provider LowCardinality(String) COMMENT 'The CRM or payment provider, empty for the others',
  external_id String COMMENT 'The provider''s own id',
  event_type LowCardinality(String) COMMENT 'What happened; a definition gives it meaning',
  event_name String COMMENT 'A more specific name, empty when none',
  occurred_at DateTime64(3, 'UTC') COMMENT 'When it happened',
  received_at DateTime64(3, 'UTC') COMMENT 'When it was taken in',
  amount_minor Nullable(Int64) COMMENT 'Value in minor units of its own currency',
  refunded_minor Int64 COMMENT 'What the provider has refunded so far, same currency',
  currency LowCardinality(String) COMMENT 'ISO 4217, empty without a value',
  subject_ref Nullable(UUID) COMMENT 'Token of who a payment is for',
  action_source LowCardinality(String) COMMENT 'Where the sender says it happened',
  click_id_kind LowCardinality(String) COMMENT 'Kind of the click id sent along, empty when none',
  campaign_ref String COMMENT 'Platform campaign id it names',
  ad_set_ref String COMMENT 'Platform ad set id it names',
  ad_ref String COMMENT 'Platform ad id it names',
  channel LowCardinality(String) COMMENT 'Channel of the ad or click id it names, empty when it names none',
  traffic_source LowCardinality(String) COMMENT 'Traffic source of that ad or click id',
  medium LowCardinality(String) COMMENT 'Traffic medium of that ad or click id',
  visitor_id Nullable(UUID) COMMENT 'The browser it happened in, when known',
  url String COMMENT 'Page it happened on, tracker only',
  path String COMMENT 'Path of that page',
  device LowCardinality(String) COMMENT 'Device, empty when unknown',
  browser LowCardinality(String) COMMENT 'Browser, empty when unknown',
  os LowCardinality(String) COMMENT 'Operating system, empty when unknown',
  country LowCardinality(String) COMMENT 'ISO country code, empty when unknown',
  city String COMMENT 'City, empty when unknown',
  version UInt128 COMMENT 'Version of the message that wrote it (complemented for tracker outcomes)',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone'
) ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (profile_id, outcome_id)
SETTINGS index_granularity = 512, min_compress_block_size = 4096, max_compress_block_size = 16384
COMMENT 'Outcomes of every source, one row an outcome; a re-send replaces it';

-- Every subject an outcome ever had, both ways round: when a re-send moves it, both its old and its new customer change.
CREATE TABLE IF NOT EXISTS subject_outcomes (
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'A subject that holds or once held the outcome',
  outcome_id UUID COMMENT 'The outcome; outcomes says whose it is now'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, subject_id, outcome_id)
SETTINGS index_granularity = 512
COMMENT 'Way from a subject to its outcomes: a superset, verified on read';

CREATE TABLE IF NOT EXISTS outcome_subjects (
  profile_id UUID COMMENT 'Profile',
  outcome_id UUID COMMENT 'The outcome',
  subject_id UUID COMMENT 'A subject that holds or once held it'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, outcome_id, subject_id)
SETTINGS index_granularity = 512
COMMENT 'Way from an outcome to every subject it ever had';

CREATE TABLE IF NOT EXISTS named_outcomes (
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'A subject that holds or once held the outcome',
  outcome_id UUID COMMENT 'An outcome outside the site that names, or once named, its ad'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, subject_id, outcome_id)
SETTINGS index_granularity = 512
COMMENT 'The few outcomes that may need a synthetic touch: a superset, verified on read';

CREATE TABLE IF NOT EXISTS ad_delivery (
  profile_id UUID COMMENT 'Profile',
  date Date COMMENT 'Day in the ad account''s time zone',
  platform LowCardinality(String) COMMENT 'Ad platform',
  campaign_id UUID COMMENT 'Internal campaign id',
  ad_set_id UUID COMMENT 'Internal ad set id',
  ad_id UUID COMMENT 'Internal ad id',
  currency LowCardinality(String) COMMENT 'Currency of the money columns',
  spend_minor Int64 COMMENT 'Spend in minor units',
  impressions UInt64 COMMENT 'Impressions',
  clicks UInt64 COMMENT 'Clicks',
  reach Nullable(UInt64) COMMENT 'People reached that day, as the platform counts',
  platform_conversions Nullable(Float64) COMMENT 'Conversions the platform claims; null when it reported nothing',
  platform_conversion_value_minor Nullable(Int64) COMMENT 'Value the platform claims, minor units',
  messaging_conversations_started_7d Nullable(UInt64) COMMENT 'Conversations the platform counts, 7-day window',
  first_reply_rate Nullable(Float64) COMMENT 'Share of conversations that got a reply',
  avg_engagement_score Nullable(Float64) COMMENT 'Engagement score, as reported',
  version UInt128 COMMENT 'Version of the message that wrote it'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, date, ad_id)
PARTITION BY toStartOfQuarter(date)
SETTINGS index_granularity = 2048
COMMENT 'Ad delivery, one row an ad and day';

CREATE TABLE IF NOT EXISTS ad_entities (
  profile_id UUID COMMENT 'Profile',
  level Enum8('campaign' = 1, 'ad_set' = 2, 'ad' = 3) COMMENT 'Campaign, ad set or ad',
  entity_id UUID COMMENT 'Internal id',
  platform LowCardinality(String) COMMENT 'Ad platform',
  external_id String COMMENT 'The platform''s id',
  name String COMMENT 'Name on the platform',
  campaign_id UUID COMMENT 'Internal id of its campaign (its own for a campaign)',
  ad_set_id UUID COMMENT 'Internal id of its ad set; zero for a campaign',
  campaign_external_id String COMMENT 'Platform id of its campaign',
  ad_set_external_id String COMMENT 'Platform id of its ad set; empty for a campaign',
  status LowCardinality(String) COMMENT 'ACTIVE, PAUSED, …; empty when not said',
  objective LowCardinality(String) COMMENT 'Objective; empty when not said',
  daily_budget_minor Nullable(Int64) COMMENT 'Daily budget, minor units',
  currency LowCardinality(String) COMMENT 'Currency of the budget',
  learning_stage_status LowCardinality(String) COMMENT 'LEARNING, SUCCESS, FAIL or empty',
  creative_thumbnail_url String COMMENT 'Thumbnail, ads only',
  video_id String COMMENT 'Video, ads only',
  creative_format LowCardinality(String) COMMENT 'Creative format, ads only',
  hook_type LowCardinality(String) COMMENT 'Hook type, ads only',
  cta_type LowCardinality(String) COMMENT 'Call to action, ads only',
  primary_angle LowCardinality(String) COMMENT 'Primary angle, ads only',
  offers Array(String) COMMENT 'Offers, ads only',
  audience_warmth LowCardinality(String) COMMENT 'Audience warmth, ads only',
  geo LowCardinality(String) COMMENT 'Geography, ads only',
  placement LowCardinality(String) COMMENT 'Placement, ads only',
  version UInt128 COMMENT 'Day of the delivery row, then a hash of its ad, then the message: the newest day describes the entity'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, level, entity_id)
SETTINGS index_granularity = 512
COMMENT 'Campaigns, ad sets and ads as their newest delivery describes them';

CREATE TABLE IF NOT EXISTS identity_map (
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'A visitor or an identifier''s token',
  customer_id UUID COMMENT 'The customer it belongs to',
  version UInt64 COMMENT 'Grows with every change of the profile''s identities'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, subject_id)
SETTINGS index_granularity = 512
COMMENT 'Whose a subject is; a subject without a row is an anonymous customer of its own';

CREATE TABLE IF NOT EXISTS customer_subjects (
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'Customer',
  subject_id UUID COMMENT 'A subject that is or once was the customer''s; identity_map decides'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, customer_id, subject_id)
SETTINGS index_granularity = 512
COMMENT 'Way from a customer to its subjects: a superset, verified on read';

CREATE TABLE IF NOT EXISTS profiles (
  profile_id UUID COMMENT 'Profile',
  reporting_currency LowCardinality(String) COMMENT 'Currency of all report figures',
  timezone LowCardinality(String) COMMENT 'IANA time zone whose days reports count by',
  version UInt64 COMMENT 'Version of the setting'
) ENGINE = ReplacingMergeTree(version)
ORDER BY profile_id
COMMENT 'Settings of profiles that figures depend on';

CREATE TABLE IF NOT EXISTS conversion_definitions (
  profile_id UUID COMMENT 'Profile',
  definition_id UUID COMMENT 'Definition',
  conversion_key LowCardinality(String) COMMENT 'Conversion type in reports',
  name String COMMENT 'Display name',
  event_types Array(String) COMMENT 'Event types that count',
  revenue_type LowCardinality(String) COMMENT 'cash, pipeline, messaging or gross',
  is_attribution_eligible Bool COMMENT 'Whether it is credited',
  lookback_window_days UInt16 COMMENT 'How far back touches take part',
  is_default Bool COMMENT 'The profile''s headline goal',
  version UInt64 COMMENT 'Version of the setting',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone'
) ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (profile_id, definition_id)
COMMENT 'Which event types are conversions, and of what kind';

CREATE TABLE IF NOT EXISTS payment_actions (
  profile_id UUID COMMENT 'Profile',
  payment_id UUID COMMENT 'The payment: outcome_id in outcomes',
  kind LowCardinality(String) COMMENT 'installment, payer or refund',
  is_installment Bool COMMENT 'Marked as a later installment',
  payer_subject_id UUID COMMENT 'A subject of the customer who paid, zero when not assigned',
  refunded_minor Int64 COMMENT 'Refunded outside the provider, in the payment''s currency',
  version UInt64 COMMENT 'Version of the action'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, payment_id, kind)
SETTINGS index_granularity = 512
COMMENT 'What merchants decided about payments, one row a payment and kind';

CREATE TABLE IF NOT EXISTS fx_rates (
  base LowCardinality(String) COMMENT 'Currency that is converted',
  quote LowCardinality(String) COMMENT 'Currency it is converted to',
  date Date COMMENT 'Day the rate holds from',
  minor_rate Int128 COMMENT 'Minor units of quote for one minor unit of base, times 10^12',
  version UInt128 COMMENT 'Version of the message that wrote it'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (base, quote, date)
COMMENT 'Dated exchange rates; an amount takes the rate of its day, or of at most seven days before';
