-- What merchants decided about payments. Postgres owns it; the warehouse's copy is rebuilt from the topic.
CREATE TABLE payment_actions (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  payment_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('installment', 'payer', 'refund')),
  is_installment boolean,
  payer_subject_id uuid,
  refunded_minor bigint CHECK (refunded_minor >= 0),
  version bigint NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (profile_id, payment_id, kind)
);
