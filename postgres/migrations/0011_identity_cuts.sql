-- The system that gave an identifier, where a person holds one value in each (a CRM's name); not personal.
ALTER TABLE identifiers ADD COLUMN namespace text;
-- The customer it was first given to: the id that comes back when a union is undone.
ALTER TABLE identifiers ADD COLUMN first_customer_id uuid;
UPDATE identifiers SET first_customer_id = customer_id;
ALTER TABLE identifiers ALTER COLUMN first_customer_id SET NOT NULL;
CREATE INDEX identifiers_that_are_hubs ON identifiers (profile_id) WHERE is_hub;

-- The guard that keeps a link's two ends apart; null when they are one customer's.
ALTER TABLE identity_links ADD COLUMN blocked_by text
  CHECK (blocked_by IN ('hub', 'cut', 'different_held_once', 'browser_cannot_join'));
CREATE INDEX identity_links_blocked ON identity_links (profile_id, blocked_by) WHERE blocked_by IS NOT NULL;

-- An unmerge: nobody holds tokens of both sides of one cut, whatever links them, now or later.
CREATE TABLE identity_cuts (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  cut_id uuid NOT NULL,
  token uuid NOT NULL,
  side text NOT NULL CHECK (side IN ('kept', 'separated')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (profile_id, cut_id, token)
);
CREATE INDEX identity_cuts_by_token ON identity_cuts (profile_id, token);

-- What happened to customers, in the order it did. Tokens and ids only.
CREATE TABLE identity_ledger (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL DEFAULT now(),
  kind text NOT NULL CHECK (kind IN ('merge', 'split', 'cut', 'undo_cut')),
  -- merge: the one that remains. split, cut: the one that something was taken out of.
  survivor_id uuid NOT NULL,
  -- merge: the one that went into it. split, cut: the one that was taken out.
  other_id uuid NOT NULL,
  -- merge: the link that joined them.
  link_a uuid,
  link_b uuid,
  evidence text COLLATE "C",
  is_trusted boolean,
  cut_id uuid,
  PRIMARY KEY (profile_id, id)
);
CREATE INDEX identity_ledger_by_survivor ON identity_ledger (profile_id, survivor_id);
CREATE INDEX identity_ledger_by_other ON identity_ledger (profile_id, other_id);
