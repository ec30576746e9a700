-- What a workspace has bought. No limit where active_profiles is null; an upgrade leads to the next higher rank.
CREATE TABLE plans (
  name text PRIMARY KEY,
  rank smallint NOT NULL UNIQUE,
  active_profiles integer CHECK (active_profiles > 0)
);
INSERT INTO plans (name, rank, active_profiles)
VALUES ('starter', 1, 3), ('growth', 2, 10), ('agency', 3, 100), ('unlimited', 4, NULL);

ALTER TABLE workspaces
  ADD plan text NOT NULL DEFAULT 'starter' REFERENCES plans,
  ADD provisioning_app_id uuid REFERENCES apps,
  ADD archived_at timestamptz;
CREATE INDEX workspaces_by_app ON workspaces (provisioning_app_id) WHERE provisioning_app_id IS NOT NULL;

-- The entitlement of SPEC 5.6; it only means something where an app provisioned the profile.
-- A deleted profile keeps its bare row, so that messages still on their way have something to belong to.
ALTER TABLE profiles
  ADD is_attribution_enabled boolean NOT NULL DEFAULT false,
  ADD deleted_at timestamptz;

-- What an app may ask for at all; persons are never among it unless somebody says so.
ALTER TABLE apps
  ADD scopes text[] NOT NULL
    DEFAULT '{analytics,attribution:write,goals:write,connections,workspaces:write,profiles:write}',
  ADD revoked_at timestamptz;

-- What an app may do on one profile.
CREATE TABLE grants (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  app_id uuid NOT NULL REFERENCES apps,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  PRIMARY KEY (profile_id, app_id)
);
CREATE INDEX grants_by_app ON grants (app_id) WHERE revoked_at IS NULL;
SELECT protect_tenant_table('grants');

ALTER TABLE api_keys
  ADD name text,
  ADD created_by uuid REFERENCES users ON DELETE SET NULL,
  -- The key that took its place; until the overlap ends both work.
  ADD rotated_to text;

ALTER TABLE memberships ADD created_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX memberships_by_user ON memberships (user_id);

-- A cookie holds the secret of a session, this table only its hash.
CREATE TABLE sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  secret_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- A token is signed; its row is what revokes it.
CREATE TABLE mcp_tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX mcp_tokens_by_user ON mcp_tokens (user_id);

CREATE TABLE invitations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  secret_hash bytea NOT NULL UNIQUE,
  invited_by uuid REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  revoked_at timestamptz
);
-- One open invitation a person and workspace.
CREATE UNIQUE INDEX invitations_one_open ON invitations (workspace_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- SPEC 5.5, held by the database itself: whoever makes a profile healthcare-family, in whatever way, in the same
-- transaction ends the delegated keys that read persons there and takes those scopes from the grants.
CREATE FUNCTION withdraw_person_scopes(workspace uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  persons CONSTANT text[] := '{customers:read,visitors:read,analytics_pii}';
  concerned uuid[];
BEGIN
  SELECT array_agg(p.id) INTO concerned FROM profiles p JOIN workspaces w ON w.id = p.workspace_id
    WHERE w.id = workspace AND (w.is_healthcare_agency OR p.privacy_mode <> 'standard');
  UPDATE api_keys SET revoked_at = now()
    WHERE profile_id = ANY (concerned) AND app_id IS NOT NULL AND revoked_at IS NULL AND scopes && persons;
  UPDATE grants SET updated_at = now(), scopes = ARRAY(
      SELECT DISTINCT CASE scope WHEN 'analytics_pii' THEN 'analytics' ELSE scope END FROM unnest(scopes) AS scope
      WHERE scope NOT IN ('customers:read', 'visitors:read') ORDER BY 1)
    WHERE profile_id = ANY (concerned) AND scopes && persons;
END $$;

CREATE FUNCTION on_privacy_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM withdraw_person_scopes(CASE TG_TABLE_NAME WHEN 'workspaces' THEN NEW.id ELSE (to_jsonb(NEW) ->> 'workspace_id')::uuid END);
  RETURN NULL;
END $$;

CREATE TRIGGER privacy_change AFTER UPDATE OF privacy_mode, workspace_id ON profiles
  FOR EACH ROW WHEN (NEW.privacy_mode <> 'standard' OR NEW.workspace_id <> OLD.workspace_id)
  EXECUTE FUNCTION on_privacy_change();
CREATE TRIGGER privacy_change AFTER UPDATE OF is_healthcare_agency ON workspaces
  FOR EACH ROW WHEN (NEW.is_healthcare_agency) EXECUTE FUNCTION on_privacy_change();
