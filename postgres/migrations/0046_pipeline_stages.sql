-- What a deal in a stage of a CRM's pipeline counts as. Postgres owns it; the warehouse's copy is rebuilt from the topic.
CREATE TABLE pipeline_stages (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  provider text NOT NULL,
  -- Empty where the CRM has but one.
  pipeline text NOT NULL,
  stage_id text NOT NULL,
  -- As the newest of its deals names it: time and name together, so that the order of arrival does not matter.
  name text NOT NULL,
  named_at timestamptz NOT NULL,
  -- An event type, or unmapped, or ignored.
  event_key text NOT NULL,
  source text NOT NULL CHECK (source IN ('suggested', 'user', 'engine_default')),
  version bigint NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (profile_id, provider, pipeline, stage_id)
);
SELECT protect_tenant_table('pipeline_stages');
