-- A conversion on its way through a recompute is one value: planning takes its time by column and step. First-payment
-- flags, the value in the reporting currency and the credit that stands are looked up while touches are derived.
CREATE TABLE IF NOT EXISTS recompute_valued (
  run_id UUID COMMENT 'Run',
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'Whose it is now',
  conversion_id UUID COMMENT 'Conversion',
  at Int64 COMMENT 'When it happened, epoch milliseconds',
  since Int64 COMMENT 'Start of its window, epoch milliseconds',
  facts Tuple(
    outcome_id UUID,
    conversion_type LowCardinality(String),
    revenue_type LowCardinality(String),
    is_eligible Bool,
    day Date,
    amount_minor Nullable(Int64),
    currency LowCardinality(String),
    net_minor Nullable(Int64),
    is_first_payment Nullable(Bool),
    opens_first_payment Bool,
    country LowCardinality(String),
    device LowCardinality(String)) COMMENT 'What its credit says of it, as in credits',
  standing_hash UInt64 COMMENT 'Content hash of the credit that stands, 0 when none does',
  version UInt128 COMMENT 'Version of the run for this profile',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = MergeTree
ORDER BY (run_id, profile_id, customer_id)
TTL created_at + INTERVAL 1 HOUR
COMMENT 'Conversions of the customers of a run with their value';

DROP TABLE IF EXISTS recompute_first_payments;
