-- What touches say about their ad, each way of saying it once: a recompute reads the hashes of a customer's touches
-- and looks up here what they stand for, instead of reading the tags of every touch.
CREATE TABLE IF NOT EXISTS touch_references (
  profile_id UUID COMMENT 'Profile',
  reference UInt64 COMMENT 'Hash of all that follows (touches.reference)',
  campaign_ref String COMMENT 'Campaign id as the click named it',
  ad_set_ref String COMMENT 'Ad set id as the click named it',
  ad_ref String COMMENT 'Ad id as the click named it',
  tag_campaign String COMMENT 'utm_campaign',
  tag_id String COMMENT 'utm_id',
  tag_term String COMMENT 'utm_term',
  tag_content String COMMENT 'utm_content'
) ENGINE = ReplacingMergeTree
ORDER BY (profile_id, reference)
SETTINGS index_granularity = 512
COMMENT 'Ways in which touches name an ad';

-- Nothing is added up here: a row that comes twice is the same row.
CREATE MATERIALIZED VIEW IF NOT EXISTS touch_references_of_touches TO touch_references (
  profile_id UUID COMMENT 'Profile',
  reference UInt64 COMMENT 'touches.reference',
  campaign_ref String COMMENT 'Campaign id as the click named it',
  ad_set_ref String COMMENT 'Ad set id as the click named it',
  ad_ref String COMMENT 'Ad id as the click named it',
  tag_campaign String COMMENT 'utm_campaign',
  tag_id String COMMENT 'utm_id',
  tag_term String COMMENT 'utm_term',
  tag_content String COMMENT 'utm_content'
) AS
SELECT DISTINCT profile_id, reference, campaign_ref, ad_set_ref, ad_ref, utm['campaign'] AS tag_campaign,
  utm['id'] AS tag_id, utm['term'] AS tag_term, utm['content'] AS tag_content
FROM touches WHERE reference != 0
COMMENT 'Fills touch_references from what is written to touches';

INSERT INTO touch_references
SELECT DISTINCT profile_id, reference, campaign_ref, ad_set_ref, ad_ref, utm['campaign'], utm['id'], utm['term'],
  utm['content']
FROM touches WHERE reference != 0;
