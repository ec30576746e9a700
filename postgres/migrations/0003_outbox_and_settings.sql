-- A write over the API that changes facts becomes a message in the same transaction; the relay sends and deletes it.
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic text NOT NULL,
  key text NOT NULL,
  value bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE conversion_definitions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  conversion_key text NOT NULL,
  name text NOT NULL,
  revenue_type text NOT NULL CHECK (revenue_type IN ('cash', 'pipeline', 'messaging', 'gross')),
  is_attribution_eligible boolean NOT NULL DEFAULT true,
  lookback_window_days integer NOT NULL DEFAULT 30 CHECK (lookback_window_days BETWEEN 1 AND 366),
  is_default boolean NOT NULL DEFAULT false,
  version bigint NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (profile_id, conversion_key)
);

-- An event type belongs to one definition at most, so an event is one conversion at most.
CREATE TABLE definition_event_types (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  event_type text NOT NULL,
  definition_id uuid NOT NULL REFERENCES conversion_definitions ON DELETE CASCADE,
  PRIMARY KEY (profile_id, event_type)
);

-- Which generation of the warehouse is live: a full replay fills the next one and flips this row.
CREATE TABLE warehouse (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  live_generation integer NOT NULL
);
INSERT INTO warehouse (live_generation) VALUES (1);
