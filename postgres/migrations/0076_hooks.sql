-- Addresses at which providers notify us, each with the secret its notifications are signed with.
CREATE TABLE hook_endpoints (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  -- Whose scheme and payloads: stripe, shopify, or generic.
  provider text NOT NULL CHECK (provider IN ('stripe', 'shopify', 'generic')),
  -- The name that its payments and outcomes are filed under.
  source text NOT NULL,
  sealed_secret bytea NOT NULL,
  -- While a rotation lasts both secrets verify.
  sealed_previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX hook_endpoints_by_profile ON hook_endpoints (profile_id, created_at);
SELECT protect_tenant_table('hook_endpoints');

-- Every verified notification as it came, sealed, with what became of it.
CREATE TABLE hook_deliveries (
  id uuid PRIMARY KEY,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  endpoint_id uuid NOT NULL REFERENCES hook_endpoints ON DELETE CASCADE,
  -- A hash of what the provider knows the notification by: a repeat is the same delivery.
  delivery_key bytea NOT NULL,
  topic text NOT NULL,
  told_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('mapped', 'superseded', 'ignored', 'unmappable')),
  reason text,
  messages integer NOT NULL DEFAULT 0,
  -- Null once its person was erased.
  sealed bytea,
  -- Whose key it is sealed under; null when it names nobody, and then it is the service's own.
  sealed_under uuid,
  received_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (endpoint_id, delivery_key)
);
CREATE INDEX hook_deliveries_by_profile ON hook_deliveries (profile_id, received_at, id);
CREATE INDEX hook_deliveries_by_age ON hook_deliveries (received_at);
SELECT protect_tenant_table('hook_deliveries');

-- Everybody whom a payload names: the way from a person's tokens to what is kept of them.
CREATE TABLE hook_delivery_tokens (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  token uuid NOT NULL,
  delivery_id uuid NOT NULL REFERENCES hook_deliveries ON DELETE CASCADE,
  PRIMARY KEY (profile_id, token, delivery_id)
);
CREATE INDEX hook_delivery_tokens_by_delivery ON hook_delivery_tokens (delivery_id);
SELECT protect_tenant_table('hook_delivery_tokens');

-- What notifications have told of one payment or outcome so far: they come late, twice and out of order.
CREATE TABLE hook_states (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  object_id uuid NOT NULL,
  as_of timestamptz,
  -- The newest message about a payment, as its topic holds it: tokens and sealed values only.
  message bytea,
  -- Refunds that were told on their own: {"r/<id>" or "d/<id>": {"as_of": ms, "minor": n}}.
  refunds jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (profile_id, object_id)
);
SELECT protect_tenant_table('hook_states');
