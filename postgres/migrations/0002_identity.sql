-- The vault: the only way from a personal value to its token. An erasure deletes rows here.
CREATE TABLE vault (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  type text NOT NULL,
  value_hmac bytea NOT NULL,
  token uuid NOT NULL UNIQUE,
  data_key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (profile_id, type, value_hmac)
);

CREATE TABLE customers (
  id uuid PRIMARY KEY,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  first_name text,
  last_name text,
  merged_into uuid,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX customers_by_profile ON customers (profile_id);

-- One row an identifier. Its cluster is its component in the graph of all links, blocked ones included: the closure
-- that a new link can affect. Its customer is its component under the guards. Evidence is ordered by event time, then
-- id, as one sortable text, so that every "first wins" is a minimum and the order of arrival does not matter.
CREATE TABLE identifiers (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  token uuid NOT NULL,
  type text NOT NULL,
  value text,
  cluster_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  first_seen text COLLATE "C" NOT NULL,
  -- It met more partners than a person has: its links join nobody. Each lives in its partner's cluster.
  is_hub boolean NOT NULL DEFAULT false,
  first_name text,
  first_name_order text COLLATE "C",
  last_name text,
  last_name_order text COLLATE "C",
  PRIMARY KEY (profile_id, token)
);
CREATE INDEX identifiers_by_cluster ON identifiers (profile_id, cluster_id);
CREATE INDEX identifiers_by_customer ON identifiers (profile_id, customer_id);

-- Evidence that two identifiers are one person's; of equal pairs the earliest is kept.
CREATE TABLE identity_links (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  a uuid NOT NULL,
  b uuid NOT NULL,
  is_trusted boolean NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  cluster_id uuid NOT NULL,
  PRIMARY KEY (profile_id, a, b, is_trusted),
  CHECK (a < b)
);
CREATE INDEX identity_links_by_cluster ON identity_links (profile_id, cluster_id);

-- The identifier a browser belongs to: the first by event time that was seen in it.
CREATE TABLE visitor_assignments (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  visitor_id uuid NOT NULL,
  token uuid NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  PRIMARY KEY (profile_id, visitor_id)
);
CREATE INDEX visitor_assignments_by_token ON visitor_assignments (profile_id, token);

-- What changed in the identity map and has not reached the warehouse yet. Versions grow under the profile's lock.
CREATE SEQUENCE identity_version;
CREATE TABLE identity_changes (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  subject_id uuid NOT NULL,
  customer_id uuid NOT NULL,
  version bigint NOT NULL DEFAULT nextval('identity_version'),
  PRIMARY KEY (profile_id, subject_id, version)
);
