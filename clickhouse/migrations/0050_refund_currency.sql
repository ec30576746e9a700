-- A payment may be told again in another currency. What a merchant refunded of it before was money in the first.
ALTER TABLE payment_actions
  ADD COLUMN IF NOT EXISTS refund_currency LowCardinality(String) DEFAULT '' COMMENT 'What was refunded in; empty for the payment''s own' AFTER refunded_minor;
