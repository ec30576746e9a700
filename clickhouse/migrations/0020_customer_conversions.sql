-- Ways to conversions that `credits`, keyed by conversion, does not have: of a goal by time, and of a customer.
CREATE TABLE IF NOT EXISTS goal_conversions (
  profile_id UUID COMMENT 'Profile',
  conversion_type LowCardinality(String) COMMENT 'Key of the definition that counts it',
  newest_first Int64 COMMENT 'When it happened, negative epoch milliseconds: the order of the table is that of a list',
  conversion_id UUID COMMENT 'Conversion',
  customer_id UUID COMMENT 'Whose it is now',
  day Date COMMENT 'Its day in the profile''s time zone',
  version UInt128 COMMENT 'Version of the recompute',
  is_deleted UInt8 DEFAULT 0 COMMENT 'Tombstone'
) ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (profile_id, conversion_type, newest_first, toString(conversion_id))
SETTINGS index_granularity = 512
COMMENT 'Conversions of a goal, newest first; credits has the last word';

CREATE TABLE IF NOT EXISTS customer_conversions (
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'A customer who has or once had the conversion',
  conversion_id UUID COMMENT 'The conversion; credits says whose it is now'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, customer_id, conversion_id)
SETTINGS index_granularity = 512
COMMENT 'Way from a customer to its conversions: a superset, verified on read';

INSERT INTO goal_conversions
SELECT profile_id, conversion_type, -toUnixTimestamp64Milli(occurred_at), conversion_id, customer_id, day, version, 0
FROM credits FINAL;

INSERT INTO customer_conversions SELECT profile_id, customer_id, conversion_id FROM credits FINAL;
