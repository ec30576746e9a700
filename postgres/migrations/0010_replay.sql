-- Recomputations that an operator asked for. What is needed to go on after a crash is here and in the consumer groups.
CREATE TABLE replays (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind text NOT NULL CHECK (kind IN ('full', 'partial', 'rejected')),
  -- Null concerns every profile.
  profile_id uuid REFERENCES profiles ON DELETE CASCADE,
  "from" timestamptz,
  is_dry_run boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'flipped', 'completed', 'failed')),
  phase text NOT NULL DEFAULT 'reading',
  -- The generation that is written; a full replay's own, a partial one's live one.
  generation integer,
  messages_done bigint NOT NULL DEFAULT 0,
  messages_total bigint NOT NULL DEFAULT 0,
  slices_done integer NOT NULL DEFAULT 0,
  slices_total integer NOT NULL DEFAULT 0,
  error_code text,
  started_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  flipped_at timestamptz,
  -- Null while it runs or can be taken up again.
  finished_at timestamptz
);
CREATE INDEX replays_by_start ON replays (started_at DESC);

-- What happened to a profile as a whole; subscribers are told from here.
CREATE TABLE lifecycle_events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  type text NOT NULL,
  data jsonb NOT NULL DEFAULT '{}',
  occurred_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX lifecycle_events_by_profile ON lifecycle_events (profile_id, occurred_at);
