-- What a profile has changed of its tracker's settings; everything else is the default of the day.
CREATE TABLE tracking_settings (
  profile_id uuid PRIMARY KEY REFERENCES profiles ON DELETE CASCADE,
  settings jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tracking_settings_by_origin ON tracking_settings USING gin ((settings -> 'allowed_origins'));

-- Hosts under which a profile wants the script and the collector. Anybody may claim one; only DNS makes it theirs.
CREATE TABLE custom_domains (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  host text NOT NULL,
  token text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'verified', 'failed')),
  checks jsonb NOT NULL DEFAULT '[]',
  checked_at timestamptz,
  verified_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (profile_id, host)
);
CREATE UNIQUE INDEX custom_domains_one_owner ON custom_domains (host) WHERE status = 'verified';

-- Looks at a page, to see whether the tracker is there and works.
CREATE TABLE install_verifications (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  url text NOT NULL,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'passed', 'failed')),
  checks jsonb NOT NULL DEFAULT '[]',
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz
);
CREATE INDEX install_verifications_newest ON install_verifications (profile_id, started_at DESC, id);

-- How much of a profile's data was turned away, by day, door and reason: for people to see, never for figures.
CREATE TABLE refusals (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  day date NOT NULL,
  source text NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (profile_id, day, source, reason)
);
-- Up to where the topic of rejected messages has been counted, so that each is counted once.
CREATE TABLE refusal_offsets (
  topic text NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  PRIMARY KEY (topic, partition)
);

SELECT protect_tenant_table(name::regclass)
FROM unnest(ARRAY['tracking_settings', 'custom_domains', 'install_verifications', 'refusals']) AS name;
