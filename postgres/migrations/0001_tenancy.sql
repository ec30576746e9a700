-- Who may do what: workspaces own profiles, apps and users hold credentials, every key is bound to one profile.
CREATE TABLE workspaces (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  is_healthcare_agency boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE apps (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  tier text NOT NULL DEFAULT 'standard' CHECK (tier IN ('standard', 'elevated', 'internal')),
  client_id text NOT NULL UNIQUE,
  client_secret_hash bytea NOT NULL,
  redirect_uris text[] NOT NULL DEFAULT '{}',
  allowed_return_origins text[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL UNIQUE,
  password_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  PRIMARY KEY (workspace_id, user_id)
);

CREATE TABLE profiles (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  name text NOT NULL,
  reporting_currency text NOT NULL DEFAULT 'USD',
  timezone text NOT NULL DEFAULT 'UTC',
  privacy_mode text NOT NULL DEFAULT 'standard' CHECK (privacy_mode IN ('standard', 'platform_safe', 'hipaa')),
  provisioning_app_id uuid REFERENCES apps,
  settings_version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz
);
CREATE INDEX profiles_by_workspace ON profiles (workspace_id);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  app_id uuid REFERENCES apps,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  rate_limit_per_minute integer NOT NULL DEFAULT 300 CHECK (rate_limit_per_minute > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX api_keys_by_profile ON api_keys (profile_id);

CREATE TABLE tracking_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  key text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  revoked_at timestamptz
);
-- At most one active key a profile, whatever the concurrency.
CREATE UNIQUE INDEX tracking_keys_one_active ON tracking_keys (profile_id) WHERE revoked_at IS NULL;
