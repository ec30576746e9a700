-- What free texts of facts read since an erasure took an identifier out of them. Topics keep the texts as they were sent:
-- a replay applies these to what it reads. Nothing personal is in them.
CREATE TABLE erased_texts (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  -- The warehouse's table, and the row in it: its id and the version of the message that told it.
  fact text NOT NULL CHECK (fact IN ('hits', 'outcomes', 'event_receipts')),
  row_id uuid NOT NULL,
  version text NOT NULL,
  -- The columns that changed, with their whole new values; as json the tags of a click stay in their order.
  columns json NOT NULL,
  PRIMARY KEY (profile_id, fact, row_id, version)
);
SELECT protect_tenant_table('erased_texts');
