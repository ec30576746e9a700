-- A part's credit becomes the one that counts in several tables, one after the other. Where a process ends in between, the
-- next run of the profile finds that here, and writes the part to its end before it compares anything with `credits`.
CREATE TABLE IF NOT EXISTS recompute_publishing (
  profile_id UUID COMMENT 'Profile',
  run_id UUID COMMENT 'The part of a run in recompute_credits',
  is_over UInt8 COMMENT 'Whether all of it was written',
  created_at DateTime DEFAULT now() COMMENT 'For the clean-up'
) ENGINE = ReplacingMergeTree(is_over)
ORDER BY (profile_id, run_id)
TTL created_at + INTERVAL 2 HOUR
COMMENT 'Parts whose credit is being published, or was';
