ALTER TABLE outcomes
  ADD COLUMN IF NOT EXISTS pipeline String DEFAULT '' COMMENT 'CRM pipeline of the deal, empty when none or only one' AFTER event_name,
  ADD COLUMN IF NOT EXISTS stage_id String DEFAULT '' COMMENT 'Stage the deal stands in; unless the deal is closed, pipeline_stages says what it counts as. Empty when not a deal in a stage' AFTER pipeline;

CREATE TABLE IF NOT EXISTS pipeline_stages (
  profile_id UUID COMMENT 'Profile',
  provider LowCardinality(String) COMMENT 'The CRM',
  pipeline String COMMENT 'Pipeline in the CRM, empty when it has but one',
  stage_id String COMMENT 'The CRM''s id of the stage',
  name String COMMENT 'Its name there',
  event_key LowCardinality(String) COMMENT 'Event type that a deal in this stage counts as; unmapped and ignored count as none',
  source LowCardinality(String) COMMENT 'Who decided: suggested by its name, user, or engine_default',
  version UInt64 COMMENT 'Version of the setting'
) ENGINE = ReplacingMergeTree(version)
ORDER BY (profile_id, provider, pipeline, stage_id)
COMMENT 'What the stages of CRM pipelines mean';
