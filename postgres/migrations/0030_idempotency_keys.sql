-- What a request with an Idempotency-Key was answered. The key itself may be anything a caller thought of, so only a
-- keyed hash of it is kept, and the answer is sealed: it may hold a secret that is shown once.
CREATE TABLE idempotency_keys (
  id bytea PRIMARY KEY,
  -- None for a call that concerns no profile, such as one that creates it.
  profile_id uuid REFERENCES profiles ON DELETE CASCADE,
  operation text NOT NULL,
  request_hash bytea NOT NULL,
  -- Who runs it now. An attempt whose lease has run out is replaced, and can no longer finish.
  attempt uuid NOT NULL,
  leased_until timestamptz NOT NULL,
  answer bytea,
  expires_at timestamptz NOT NULL
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_by_profile ON idempotency_keys (profile_id);
SELECT protect_tenant_table('idempotency_keys');
