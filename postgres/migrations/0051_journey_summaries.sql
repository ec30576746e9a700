-- The newest written summary of a customer's or an anonymous visitor's journey.
CREATE TABLE journey_summaries (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  customer_id uuid NOT NULL,
  text text NOT NULL,
  -- The model that wrote it, or touchline.
  generator text NOT NULL,
  event_count integer NOT NULL,
  generated_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, customer_id)
);
SELECT protect_tenant_table('journey_summaries');

ALTER TABLE workspaces ADD COLUMN daily_ai_allowance integer NOT NULL DEFAULT 100 CHECK (daily_ai_allowance >= 0);

-- What a workspace has spent of its daily allowance. A day is a day of UTC.
CREATE TABLE ai_days (
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  day date NOT NULL,
  used integer NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, day)
);

-- Units that a call in progress holds. One that is never confirmed frees its unit when it expires.
CREATE TABLE ai_reservations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  workspace_id uuid NOT NULL,
  day date NOT NULL,
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (workspace_id, day) REFERENCES ai_days ON DELETE CASCADE
);
CREATE INDEX ai_reservations_by_day ON ai_reservations (workspace_id, day);
