-- One or two letters are the beginning of an e-mail. Trigrams would look at every address with a word that begins so,
-- most of all those of its domain.
CREATE INDEX identifiers_by_email ON identifiers (profile_id, value text_pattern_ops) WHERE type = 'email';

CREATE FUNCTION customers_mailed_at(beginning text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT DISTINCT customer_id FROM (
       SELECT customer_id FROM identifiers
       WHERE profile_id = $1 AND type = ''email'' AND value LIKE $2 LIMIT $3) AS found'
    USING current_profile(), beginning, most;
END $$;

-- A page of a common term looks cheap to read off the whole table, which holds every other profile's people as well.
ALTER FUNCTION customers_named(text[], integer) SET enable_seqscan = off;
ALTER FUNCTION customers_nearly_named(text, integer) SET enable_seqscan = off;
ALTER FUNCTION customers_reached_by(text, text, integer) SET enable_seqscan = off;
ALTER FUNCTION customers_nearly_reached_by(text, integer) SET enable_seqscan = off;
