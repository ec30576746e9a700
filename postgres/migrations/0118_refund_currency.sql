-- What a manual refund was made in; null for those that were recorded before this was kept, which are in the payment's own.
ALTER TABLE payment_actions ADD COLUMN refund_currency text;
ALTER TABLE payment_action_log ADD COLUMN refund_currency text;
