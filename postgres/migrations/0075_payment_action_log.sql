-- Who decided what about a payment, and when; payment_actions holds only what stands.
CREATE TABLE payment_action_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  payment_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('installment', 'payer', 'refund')),
  is_installment boolean,
  payer_subject_id uuid,
  refunded_minor bigint,
  version bigint NOT NULL,
  -- Null when it was not decided over the API.
  credential_kind text,
  credential_id text,
  app_id uuid,
  request_id text,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payment_action_log_by_payment ON payment_action_log (profile_id, payment_id, id);
SELECT protect_tenant_table('payment_action_log');
