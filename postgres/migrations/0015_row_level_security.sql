-- The API serves a profile under a role that owns nothing and sees the rows of one profile only, whatever the SQL says.
DO $$
BEGIN
  CREATE ROLE touchline_serving NOLOGIN NOBYPASSRLS;
EXCEPTION
  -- Roles belong to the server, not to the database: another database, or another migration at once, has made it.
  WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'touchline_serving', 'MEMBER') THEN
    GRANT touchline_serving TO CURRENT_USER;
  END IF;
END $$;

-- The profile of the transaction, as postgres/as-profile.ts sets it; none means no row.
CREATE FUNCTION current_profile() RETURNS uuid LANGUAGE sql STABLE AS
  $$ SELECT nullif(current_setting('touchline.profile', true), '')::uuid $$;

-- Every table with a profile_id is handed to this once, in the migration that makes it.
CREATE FUNCTION protect_tenant_table(tenant_table regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', tenant_table);
  EXECUTE format(
    'CREATE POLICY own_profile ON %s TO touchline_serving
       USING (profile_id = (SELECT current_profile())) WITH CHECK (profile_id = (SELECT current_profile()))',
    tenant_table);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO touchline_serving', tenant_table);
END $$;

SELECT protect_tenant_table(name::regclass) FROM unnest(ARRAY[
  'api_keys', 'tracking_keys', 'vault', 'customers', 'identifiers', 'identity_links', 'visitor_assignments',
  'identity_changes', 'conversion_definitions', 'definition_event_types', 'replays', 'lifecycle_events',
  'identity_cuts', 'identity_ledger', 'payment_actions'
]) AS name;

-- A serving transaction tells the pipeline through the outbox, which it can fill but not read.
GRANT INSERT ON outbox TO touchline_serving;
