-- What the drill-down is ordered by, and paid clicks that named no ad: a platform's claim is held against them as well.
ALTER TABLE report_credits
  ADD COLUMN IF NOT EXISTS occurred_at DateTime64(3, 'UTC') DEFAULT toDateTime64(day, 3, 'UTC')
    COMMENT 'When the conversion happened' AFTER conversion_id,
  ADD COLUMN IF NOT EXISTS last_paid LowCardinality(String) DEFAULT ''
    COMMENT 'Ad platform of the last touch if it is a paid click, by its source' AFTER last_ad,
  ADD COLUMN IF NOT EXISTS first_paid LowCardinality(String) DEFAULT ''
    COMMENT 'Ad platform of the first touch if it is a paid click' AFTER first_ad,
  ADD COLUMN IF NOT EXISTS lnd_paid LowCardinality(String) DEFAULT ''
    COMMENT 'Ad platform of the last non-direct touch if it is a paid click' AFTER lnd_ad,
  ADD COLUMN IF NOT EXISTS a_paid Array(LowCardinality(String)) DEFAULT arrayMap(campaign -> '', a_campaign)
    COMMENT 'Their ad platforms if they are paid clicks' AFTER a_ad,
  COMMENT COLUMN a_campaign 'Campaigns of the touches that name an entity or are paid clicks, zero when none',
  COMMENT COLUMN a_new_campaign 'Last occurrence of the campaign in this conversion: its largest share under every model',
  COMMENT COLUMN a_new_ad_set 'Last occurrence of the ad set',
  COMMENT COLUMN a_new_ad 'Last occurrence of the ad';
