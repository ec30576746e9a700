-- Facts are laid out by whose they are; people who look after tracking ask by time, and about receipts, not events.
CREATE TABLE IF NOT EXISTS event_receipts (
  profile_id UUID COMMENT 'Profile',
  event_time DateTime64(3, 'UTC') COMMENT 'When the event says that it happened',
  event_id UUID COMMENT 'The event: event_id in hits for the tracker, outcome_id in outcomes for the others',
  receipt UInt128 COMMENT 'Version of the message that brought it: an event that comes twice has two receipts',
  subject_id UUID COMMENT 'Whose it was when it came',
  source LowCardinality(String) COMMENT 'tracker, server, crm or payment',
  event_type LowCardinality(String) COMMENT 'What happened',
  channel LowCardinality(String) COMMENT 'Marketing channel, empty when it names none',
  names_ad Bool COMMENT 'Whether it names its ad by a platform id',
  is_bot Bool COMMENT 'Recognised as a bot',
  received_at DateTime64(3, 'UTC') COMMENT 'When it was taken in',
  clock_skew_ms Int64 COMMENT 'How far the sender''s clock was ahead of ours',
  INDEX by_subject subject_id TYPE bloom_filter GRANULARITY 4
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, event_time, toString(event_id), receipt)
SETTINGS index_granularity = 2048
COMMENT 'Everything that came in, by time, one row a receipt; hits and outcomes have the last word on an event';

INSERT INTO event_receipts
SELECT profile_id, event_time, event_id, bitNot(version), subject_id, 'tracker', event_type, channel,
  ad_ref != '' OR ad_set_ref != '' OR campaign_ref != '', is_bot, received_at, 0
FROM hits FINAL;

INSERT INTO event_receipts
SELECT profile_id, occurred_at, outcome_id, version, subject_id, source, event_type, channel,
  ad_ref != '' OR ad_set_ref != '' OR campaign_ref != '', false, received_at, 0
FROM outcomes FINAL WHERE source != 'tracker';
