-- Receipts and the ways to an outcome are functions of the row that a hit or an outcome is stored as: the engine writes
-- them from what is inserted, instead of being sent each of them. An insert that fails in a view fails, and its batch is
-- tried again as a whole; every target keeps a row once that comes twice, so a repeat changes nothing. Mutations and
-- merges do not pass through views: texts that an erasure rewrites in a fact are rewritten in its receipt on its own.
ALTER TABLE hits
  ADD COLUMN IF NOT EXISTS clock_skew_ms Int64 DEFAULT 0 COMMENT 'How far the sender''s clock was ahead of ours' AFTER received_at;

CREATE MATERIALIZED VIEW IF NOT EXISTS receipts_of_hits TO event_receipts (
  profile_id UUID COMMENT 'Profile',
  event_time DateTime64(3, 'UTC') COMMENT 'hits.event_time',
  event_id UUID COMMENT 'hits.event_id',
  receipt UInt128 COMMENT 'Version of the message that brought it: the complement of hits.version',
  subject_id UUID COMMENT 'hits.subject_id',
  source LowCardinality(String) COMMENT 'tracker',
  event_type LowCardinality(String) COMMENT 'hits.event_type',
  channel LowCardinality(String) COMMENT 'hits.channel',
  names_ad Bool COMMENT 'Whether it names its ad by a platform id',
  is_bot Bool COMMENT 'hits.is_bot',
  received_at DateTime64(3, 'UTC') COMMENT 'hits.received_at',
  clock_skew_ms Int64 COMMENT 'hits.clock_skew_ms'
) AS
SELECT profile_id, event_time, event_id, bitNot(version) AS receipt, subject_id, 'tracker' AS source, event_type, channel,
  ad_ref != '' OR ad_set_ref != '' OR campaign_ref != '' AS names_ad, is_bot, received_at, clock_skew_ms
FROM hits
COMMENT 'Fills event_receipts from what is written to hits';

CREATE MATERIALIZED VIEW IF NOT EXISTS receipts_of_outcomes TO event_receipts (
  profile_id UUID COMMENT 'Profile',
  event_time DateTime64(3, 'UTC') COMMENT 'outcomes.occurred_at',
  event_id UUID COMMENT 'outcomes.outcome_id',
  receipt UInt128 COMMENT 'outcomes.version',
  subject_id UUID COMMENT 'outcomes.subject_id',
  source LowCardinality(String) COMMENT 'outcomes.source',
  event_type LowCardinality(String) COMMENT 'outcomes.event_type',
  channel LowCardinality(String) COMMENT 'outcomes.channel',
  names_ad Bool COMMENT 'Whether it names its ad by a platform id',
  received_at DateTime64(3, 'UTC') COMMENT 'outcomes.received_at'
) AS
SELECT profile_id, occurred_at AS event_time, outcome_id AS event_id, version AS receipt, subject_id, source, event_type,
  channel, ad_ref != '' OR ad_set_ref != '' OR campaign_ref != '' AS names_ad, received_at
FROM outcomes WHERE source != 'tracker'
COMMENT 'Fills event_receipts from what is written to outcomes; one of the tracker''s has its hit''s receipt';

CREATE MATERIALIZED VIEW IF NOT EXISTS subjects_to_outcomes TO subject_outcomes (
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'outcomes.subject_id',
  outcome_id UUID COMMENT 'outcomes.outcome_id'
) AS
SELECT profile_id, subject_id, outcome_id FROM outcomes
COMMENT 'Fills subject_outcomes from what is written to outcomes';

CREATE MATERIALIZED VIEW IF NOT EXISTS outcomes_to_subjects TO outcome_subjects (
  profile_id UUID COMMENT 'Profile',
  outcome_id UUID COMMENT 'outcomes.outcome_id',
  subject_id UUID COMMENT 'outcomes.subject_id'
) AS
SELECT profile_id, outcome_id, subject_id FROM outcomes
COMMENT 'Fills outcome_subjects from what is written to outcomes';

CREATE MATERIALIZED VIEW IF NOT EXISTS subjects_to_named_outcomes TO named_outcomes (
  profile_id UUID COMMENT 'Profile',
  subject_id UUID COMMENT 'outcomes.subject_id',
  outcome_id UUID COMMENT 'outcomes.outcome_id'
) AS
SELECT profile_id, subject_id, outcome_id FROM outcomes
WHERE source != 'tracker' AND action_source != 'website' AND (ad_ref != '' OR ad_set_ref != '' OR campaign_ref != '')
COMMENT 'Fills named_outcomes from what is written to outcomes: off-site, and naming an ad';

CREATE MATERIALIZED VIEW IF NOT EXISTS times_to_payments TO payment_times (
  profile_id UUID COMMENT 'Profile',
  occurred_at DateTime64(3, 'UTC') COMMENT 'outcomes.occurred_at',
  outcome_id UUID COMMENT 'outcomes.outcome_id'
) AS
SELECT profile_id, occurred_at, outcome_id FROM outcomes WHERE amount_minor IS NOT NULL
COMMENT 'Fills payment_times from what is written to outcomes';
