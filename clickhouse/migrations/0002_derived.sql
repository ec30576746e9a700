-- What is derived from the facts, always by recompute: rows carry the version of the change that caused them.
CREATE TABLE IF NOT EXISTS touches (
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'The visitor, or the subject of the outcome behind a synthetic touch',
  touch_id UUID COMMENT 'The hit that started the session, or the outcome behind a synthetic touch',
  touch_time DateTime64(3, 'UTC') COMMENT 'When',
  channel LowCardinality(String) COMMENT 'Marketing channel',
  source LowCardinality(String) COMMENT 'Traffic source',
  medium LowCardinality(String) COMMENT 'Traffic medium',
  is_direct Bool COMMENT 'Direct visit',
  is_synthetic Bool COMMENT 'Made for an off-site conversion that names its ad',
  click_id_kind LowCardinality(String) COMMENT 'Kind of click id, empty when none',
  campaign_ref String COMMENT 'Campaign id as the click named it',
  ad_set_ref String COMMENT 'Ad set id as the click named it',
  ad_ref String COMMENT 'Ad id as the click named it',
  utm Map(LowCardinality(String), String) COMMENT 'UTM tags of the click',
  url String COMMENT 'Landing page',
  path String COMMENT 'Path of the landing page',
  device LowCardinality(String) COMMENT 'Device',
  country LowCardinality(String) COMMENT 'Country',
  content_hash UInt64 COMMENT 'Of all the columns above: an equal touch is not written again',
  version UInt128 COMMENT 'Version of the recompute',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone',
  reference UInt64 MATERIALIZED if(
    ad_ref = '' AND ad_set_ref = '' AND campaign_ref = '' AND utm['content'] = '' AND utm['term'] = '' AND utm['id'] = ''
      AND utm['campaign'] = '',
    0, cityHash64(ad_ref, ad_set_ref, campaign_ref, utm['content'], utm['term'], utm['id'], utm['campaign']))
    COMMENT 'Hash of everything that can name an ad, 0 when nothing does: few are distinct, so ads are looked up once each'
) ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (profile_id, subject_id, touch_id)
SETTINGS index_granularity = 512, min_compress_block_size = 4096, max_compress_block_size = 16384
COMMENT 'Marketing touches: session starts and synthetic touchpoints';

CREATE TABLE IF NOT EXISTS credits (
  profile_id UUID COMMENT 'Profile',
  conversion_id UUID COMMENT 'Conversion',
  outcome_id UUID COMMENT 'The outcome behind it (outcome_event_id)',
  customer_id UUID COMMENT 'Whose it is now',
  conversion_type LowCardinality(String) COMMENT 'Key of the definition that counts it',
  revenue_type LowCardinality(String) COMMENT 'cash, pipeline, messaging or gross',
  is_eligible Bool COMMENT 'Whether its definition lets it be credited; if not, reports leave it out',
  occurred_at DateTime64(3, 'UTC') COMMENT 'When it happened',
  day Date COMMENT 'Its day in the profile''s time zone',
  amount_minor Nullable(Int64) COMMENT 'Value in its own currency, minor units',
  currency LowCardinality(String) COMMENT 'Its own currency',
  net_minor Nullable(Int64) COMMENT 'Value less refunds in the reporting currency; null without value or rate',
  is_first_payment Nullable(Bool) COMMENT 'Whether a first payment; null when not a payment',
  opens_first_payment Bool COMMENT 'Whether it opens the first-payment group, which counts once, here',
  country LowCardinality(String) COMMENT 'Country of the conversion',
  device LowCardinality(String) COMMENT 'Device of the conversion',
  touch_ids Array(UUID) COMMENT 'Touches in the window, in order',
  touch_times Array(DateTime64(3, 'UTC')) COMMENT 'Their times',
  channels Array(LowCardinality(String)) COMMENT 'Their channels',
  sources Array(LowCardinality(String)) COMMENT 'Their sources',
  directs Array(Bool) COMMENT 'Whether each is direct',
  synthetics Array(Bool) COMMENT 'Whether each is synthetic',
  campaign_ids Array(UUID) COMMENT 'Campaign each names, zero when none',
  ad_set_ids Array(UUID) COMMENT 'Ad set each names, zero when none',
  ad_ids Array(UUID) COMMENT 'Ad each names, zero when none',
  join_methods Array(LowCardinality(String)) COMMENT 'How each came to its ad',
  last_touch Array(UInt32) COMMENT 'Weights in billionths',
  first_touch Array(UInt32) COMMENT 'Weights in billionths',
  linear Array(UInt32) COMMENT 'Weights in billionths',
  time_decay Array(UInt32) COMMENT 'Weights in billionths',
  last_non_direct Array(UInt32) COMMENT 'Weights in billionths',
  position_based Array(UInt32) COMMENT 'Weights in billionths',
  content_hash UInt64 COMMENT 'Of all the columns above: equal credit is not written again',
  version UInt128 COMMENT 'Version of the recompute',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone'
) ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (profile_id, conversion_id)
SETTINGS index_granularity = 512
COMMENT 'Canonical credit: one row a conversion with its path and the weights of six models';

CREATE TABLE IF NOT EXISTS report_credits (
  profile_id UUID COMMENT 'Profile',
  day Date COMMENT 'Day of the conversion in the profile''s time zone',
  conversion_id UUID COMMENT 'Conversion',
  conversion_type LowCardinality(String) COMMENT 'Key of the definition that counts it',
  revenue_type LowCardinality(String) COMMENT 'cash, pipeline, messaging or gross',
  net_minor Int64 COMMENT 'Value less refunds in the reporting currency, 0 when unknown',
  opens_first_payment Bool COMMENT 'Whether it opens a first-payment group',
  last_campaign UUID COMMENT 'Campaign of the last touch, zero when none',
  last_ad_set UUID COMMENT 'Ad set of the last touch',
  last_ad UUID COMMENT 'Ad of the last touch',
  first_campaign UUID COMMENT 'Campaign of the first touch',
  first_ad_set UUID COMMENT 'Ad set of the first touch',
  first_ad UUID COMMENT 'Ad of the first touch',
  lnd_campaign UUID COMMENT 'Campaign of the last non-direct touch',
  lnd_ad_set UUID COMMENT 'Ad set of the last non-direct touch',
  lnd_ad UUID COMMENT 'Ad of the last non-direct touch',
  a_campaign Array(UUID) COMMENT 'Campaigns of the touches that name an entity',
  a_ad_set Array(UUID) COMMENT 'Their ad sets',
  a_ad Array(UUID) COMMENT 'Their ads',
  a_linear Array(UInt32) COMMENT 'Their linear weights, billionths',
  a_decay Array(UInt32) COMMENT 'Their time-decay weights, billionths',
  a_position Array(UInt32) COMMENT 'Their position-based weights, billionths',
  a_new_campaign Array(Bool) COMMENT 'First occurrence of the campaign in this conversion',
  a_new_ad_set Array(Bool) COMMENT 'First occurrence of the ad set',
  a_new_ad Array(Bool) COMMENT 'First occurrence of the ad',
  version UInt128 COMMENT 'Version of the recompute',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone'
) ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (profile_id, day, conversion_id)
PARTITION BY toStartOfQuarter(day)
SETTINGS min_age_to_force_merge_seconds = 20, min_age_to_force_merge_on_partition_only = 1
COMMENT 'Credit laid out for reports by day';

CREATE TABLE IF NOT EXISTS report_days (
  profile_id UUID COMMENT 'Profile',
  conversion_id UUID COMMENT 'Conversion',
  day Date COMMENT 'A day under which the conversion was ever written to report_credits'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, conversion_id, day)
SETTINGS index_granularity = 512
COMMENT 'So that a conversion that changes its day leaves nothing behind';

-- Work in hand of a recompute; nothing here outlives the run.
CREATE TABLE IF NOT EXISTS recompute_dirty (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'Dirty subject',
  version UInt128 COMMENT 'Version of the change that made it dirty',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, subject_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'Dirty subjects of a run';

CREATE TABLE IF NOT EXISTS recompute_subjects (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'Customer that is derived again',
  subject_id UUID COMMENT 'One of its subjects',
  is_dirty Bool COMMENT 'Whether its touches are derived again',
  version UInt128 COMMENT 'Version of the run for this profile',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, subject_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'All subjects of the customers of a run';

CREATE TABLE IF NOT EXISTS recompute_conversions (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'Whose it is now',
  conversion_id UUID COMMENT 'Conversion',
  outcome_id UUID COMMENT 'The outcome behind it',
  conversion_type LowCardinality(String) COMMENT 'Key of the definition, empty when none counts it',
  revenue_type LowCardinality(String) COMMENT 'cash, pipeline, messaging or gross',
  is_eligible Bool COMMENT 'Whether it may be credited',
  at Int64 COMMENT 'When it happened, epoch milliseconds',
  since Int64 COMMENT 'Start of its window, epoch milliseconds',
  day Date COMMENT 'Its day in the profile''s time zone',
  amount_minor Nullable(Int64) COMMENT 'Value in its own currency',
  currency LowCardinality(String) COMMENT 'Its own currency',
  net_minor Nullable(Int64) COMMENT 'Value less refunds in the reporting currency',
  subject_ref UUID COMMENT 'Token of who a payment is for, zero when untagged',
  is_installment Bool COMMENT 'Marked as a later installment',
  country LowCardinality(String) COMMENT 'Country',
  device LowCardinality(String) COMMENT 'Device',
  version UInt128 COMMENT 'Version of the run for this profile',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, customer_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'Conversions of the customers of a run';

CREATE TABLE IF NOT EXISTS recompute_credits (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  conversion_id UUID COMMENT 'Conversion',
  outcome_id UUID COMMENT 'The outcome behind it (outcome_event_id)',
  customer_id UUID COMMENT 'Whose it is now',
  conversion_type LowCardinality(String) COMMENT 'Key of the definition that counts it',
  revenue_type LowCardinality(String) COMMENT 'cash, pipeline, messaging or gross',
  is_eligible Bool COMMENT 'Whether its definition lets it be credited; if not, reports leave it out',
  occurred_at DateTime64(3, 'UTC') COMMENT 'When it happened',
  day Date COMMENT 'Its day in the profile''s time zone',
  amount_minor Nullable(Int64) COMMENT 'Value in its own currency, minor units',
  currency LowCardinality(String) COMMENT 'Its own currency',
  net_minor Nullable(Int64) COMMENT 'Value less refunds in the reporting currency; null without value or rate',
  is_first_payment Nullable(Bool) COMMENT 'Whether a first payment; null when not a payment',
  opens_first_payment Bool COMMENT 'Whether it opens the first-payment group, which counts once, here',
  country LowCardinality(String) COMMENT 'Country of the conversion',
  device LowCardinality(String) COMMENT 'Device of the conversion',
  touch_ids Array(UUID) COMMENT 'Touches in the window, in order',
  touch_times Array(DateTime64(3, 'UTC')) COMMENT 'Their times',
  channels Array(LowCardinality(String)) COMMENT 'Their channels',
  sources Array(LowCardinality(String)) COMMENT 'Their sources',
  directs Array(Bool) COMMENT 'Whether each is direct',
  synthetics Array(Bool) COMMENT 'Whether each is synthetic',
  campaign_ids Array(UUID) COMMENT 'Campaign each names, zero when none',
  ad_set_ids Array(UUID) COMMENT 'Ad set each names, zero when none',
  ad_ids Array(UUID) COMMENT 'Ad each names, zero when none',
  join_methods Array(LowCardinality(String)) COMMENT 'How each came to its ad',
  last_touch Array(UInt32) COMMENT 'Weights in billionths',
  first_touch Array(UInt32) COMMENT 'Weights in billionths',
  linear Array(UInt32) COMMENT 'Weights in billionths',
  time_decay Array(UInt32) COMMENT 'Weights in billionths',
  last_non_direct Array(UInt32) COMMENT 'Weights in billionths',
  position_based Array(UInt32) COMMENT 'Weights in billionths',
  content_hash UInt64 COMMENT 'Of all the columns above: equal credit is not written again',
  version UInt128 COMMENT 'Version of the recompute',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, conversion_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'Credit that a run found changed';
