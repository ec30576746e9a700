-- The way from a customer to its subjects is the identity map the other way round. A change is published until the
-- insert has succeeded, views and all; a row that comes twice is the same row.
CREATE MATERIALIZED VIEW IF NOT EXISTS customers_to_subjects TO customer_subjects (
  profile_id UUID COMMENT 'Profile',
  customer_id UUID COMMENT 'identity_map.customer_id',
  subject_id UUID COMMENT 'identity_map.subject_id'
) AS
SELECT profile_id, customer_id, subject_id FROM identity_map
COMMENT 'Fills customer_subjects from what is written to identity_map';
