-- Who read persons, when, through which route, with what result. Evidence: it outlives keys, users, apps and profiles,
-- so nothing but the workspace is referenced, and it holds no personal data itself.
CREATE TABLE pii_access_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  profile_id uuid,
  credential_kind text NOT NULL,
  credential_id text NOT NULL,
  app_id uuid,
  user_id uuid,
  operation text NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL,
  result text NOT NULL CHECK (result IN ('read', 'empty', 'refused', 'failed')),
  person_count integer NOT NULL CHECK (person_count >= 0),
  request_id uuid
);
CREATE INDEX pii_access_log_by_workspace ON pii_access_log (workspace_id, occurred_at DESC, id DESC);
CREATE INDEX pii_access_log_by_profile ON pii_access_log (workspace_id, profile_id, occurred_at DESC, id DESC);
CREATE INDEX pii_access_log_by_credential ON pii_access_log (workspace_id, credential_id, occurred_at DESC, id DESC);
CREATE INDEX pii_access_log_by_time ON pii_access_log (occurred_at);
-- No policy and no grant: the serving role, whose reads it tells of, can neither see nor change it.
ALTER TABLE pii_access_log ENABLE ROW LEVEL SECURITY;
