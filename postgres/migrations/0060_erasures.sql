-- Erasures: receipts, what the background still has to do and what it found, and the marks that keep a person gone.
CREATE TABLE erasures (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  request_ref text NOT NULL,
  -- A keyed hash of the selector that was sent, so that a retry is known without keeping an e-mail or a phone.
  selector_hash bytea NOT NULL,
  customer_id uuid NOT NULL,
  customer_key text,
  reason text NOT NULL CHECK (reason IN ('data_subject_request', 'account_closed', 'other')),
  -- Who asked: the kind and id of the credential.
  requested_by text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz,
  UNIQUE (profile_id, request_ref)
);
CREATE INDEX erasures_queued ON erasures (profile_id, requested_at) WHERE completed_at IS NULL;
CREATE INDEX erasures_by_customer ON erasures (profile_id, customer_id);
SELECT protect_tenant_table('erasures');

-- What the background proved. `search` is what it looks for, sealed, and is gone once nothing was found.
CREATE TABLE erasure_audits (
  erasure_id uuid PRIMARY KEY REFERENCES erasures ON DELETE CASCADE,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  search bytea,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  checked_at timestamptz,
  -- Counts by store, table and column; never a value.
  result jsonb
);
CREATE INDEX erasure_audits_by_profile ON erasure_audits (profile_id);
SELECT protect_tenant_table('erasure_audits');

-- An erased customer key stays in the vault as a tombstone: a token of nobody, and no key.
ALTER TABLE vault ADD COLUMN erasure_id uuid;
ALTER TABLE vault ALTER COLUMN data_key DROP NOT NULL;
ALTER TABLE vault ADD CONSTRAINT vault_tombstones CHECK ((data_key IS NULL) = (erasure_id IS NOT NULL));

-- The grouping survives by token; what was personal never comes back to an erased one.
ALTER TABLE identifiers ADD COLUMN erasure_id uuid;
ALTER TABLE identifiers ADD CONSTRAINT identifiers_stay_erased CHECK (
  erasure_id IS NULL OR (value IS NULL AND first_name IS NULL AND last_name IS NULL));
ALTER TABLE customers ADD COLUMN erasure_id uuid;
ALTER TABLE customers ADD CONSTRAINT customers_stay_erased CHECK (
  erasure_id IS NULL OR (first_name IS NULL AND last_name IS NULL));

-- Every id that was merged into an erased customer is found from it.
CREATE INDEX customers_by_survivor ON customers (profile_id, merged_into) WHERE merged_into IS NOT NULL;

ALTER TABLE identity_links DROP CONSTRAINT identity_links_blocked_by_check;
ALTER TABLE identity_links ADD CONSTRAINT identity_links_blocked_by_check
  CHECK (blocked_by IN ('hub', 'erased', 'cut', 'different_held_once', 'browser_cannot_join'));

-- An import over the API changes identities as a batch of the pipeline does.
GRANT USAGE ON SEQUENCE identity_version TO touchline_serving;
