-- The list of payments goes by time, outcomes are laid out by id: the way from one to the other.
CREATE TABLE IF NOT EXISTS payment_times (
  profile_id UUID COMMENT 'Profile',
  occurred_at DateTime64(3, 'UTC') COMMENT 'When the outcome says, or once said, that it happened',
  outcome_id UUID COMMENT 'An outcome that carries, or once carried, money'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, occurred_at, outcome_id)
SETTINGS index_granularity = 512
COMMENT 'Way from a time to the outcomes with money: a superset, verified on read';

INSERT INTO payment_times SELECT profile_id, occurred_at, outcome_id FROM outcomes WHERE amount_minor IS NOT NULL;
