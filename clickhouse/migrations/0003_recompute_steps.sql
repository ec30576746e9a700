-- Steps of a recompute that were expressions inside one statement: each use of one is analysed again, so that the
-- analysis alone took half a second. As tables in hand they are read instead.
CREATE TABLE IF NOT EXISTS recompute_people (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'Customer that is derived again',
  is_anonymous Bool COMMENT 'Whether nobody is known behind it: a subject that is its own customer',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, customer_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'Customers of a run';

CREATE TABLE IF NOT EXISTS recompute_ads (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  reference UInt64 COMMENT 'What touches say about their ad (touches.reference)',
  campaign_id UUID COMMENT 'Campaign it names',
  ad_set_id UUID COMMENT 'Ad set it names, zero when none',
  ad_id UUID COMMENT 'Ad it names, zero when none',
  join_method LowCardinality(String) COMMENT 'How',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, reference)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'Ads that the touches of a run name';

ALTER TABLE recompute_conversions
  ADD COLUMN IF NOT EXISTS kept_minor Nullable(Int64) COMMENT 'Value less refunds in its own currency' AFTER currency,
  ADD COLUMN IF NOT EXISTS reporting_currency LowCardinality(String) COMMENT 'Currency of the profile''s figures' AFTER kept_minor;

CREATE TABLE IF NOT EXISTS recompute_first_payments (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  outcome_id UUID COMMENT 'A payment',
  is_first_payment Bool COMMENT 'Whether it belongs to a first-payment group',
  opens_first_payment Bool COMMENT 'Whether it opens one',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, outcome_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'First-payment flags of the payments of a run';
