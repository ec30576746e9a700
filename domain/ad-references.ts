/**
 * Every way in which a click or an outcome names its ad, strongest first: the first that leads to exactly one entity
 * counts.
 */
export const namings = [
  { of: 'ad_ref', kind: 'ad', joinMethod: 'service_ad_id' },
  { of: 'ad_set_ref', kind: 'ad_set', joinMethod: 'service_ad_set_id' },
  { of: 'campaign_ref', kind: 'campaign', joinMethod: 'service_campaign_id' },
  { of: 'tag_content', kind: 'ad', joinMethod: 'utm_ad_id' },
  { of: 'tag_term', kind: 'ad_set', joinMethod: 'utm_ad_set_id' },
  { of: 'tag_id', kind: 'campaign', joinMethod: 'utm_campaign_id' },
  { of: 'tag_campaign', kind: 'campaign_name', joinMethod: 'campaign_name' },
] as const
