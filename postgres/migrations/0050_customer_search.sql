-- Finding customers by a part of their name, e-mail or phone. Indexes over the rows themselves: there is no copy of a
-- person to keep in step or to erase. The profile leads each index, so that one tenant's size is not another's wait.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Lower case without accents, so that "Peña" is found by "pena".
CREATE FUNCTION searchable(value text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN lower(regexp_replace(normalize(value, NFKD), '[\u0300-\u036f]', '', 'g'));

-- Each word has a space before it: "% ma%" finds what begins with "ma", and two letters are enough for the index.
CREATE FUNCTION searchable_name(first_name text, last_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN searchable(' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''));

CREATE INDEX customers_by_name ON customers
  USING gin (profile_id, searchable_name(first_name, last_name) gin_trgm_ops)
  WHERE first_name IS NOT NULL OR last_name IS NOT NULL;
CREATE INDEX identifiers_by_value ON identifiers USING gin (profile_id, value gin_trgm_ops)
  WHERE type IN ('email', 'phone');

-- Row-level security keeps LIKE out of an index (it is not leakproof), so these run as their owner and hold to the
-- profile of the transaction themselves. At most `most` customers each, in no order: a page is chosen among them.

-- Whose names have all of the patterns.
CREATE FUNCTION customers_named(patterns text[], most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  conditions text;
BEGIN
  -- One condition a word: "LIKE ALL" of a list would not use the index.
  SELECT string_agg(format('searchable_name(first_name, last_name) LIKE searchable($2[%s])', n), ' AND ')
    INTO conditions FROM generate_subscripts(patterns, 1) AS n;
  RETURN QUERY EXECUTE format(
    'SELECT id FROM customers
     WHERE profile_id = $1 AND (first_name IS NOT NULL OR last_name IS NOT NULL) AND %s LIMIT $3', conditions)
    USING current_profile(), patterns, most;
END $$;

-- Whose names are nearly the words: a letter too many, too few or wrong.
CREATE FUNCTION customers_nearly_named(words text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  SET pg_trgm.word_similarity_threshold = 0.45 AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT id FROM customers
     WHERE profile_id = $1 AND (first_name IS NOT NULL OR last_name IS NOT NULL)
       AND searchable($2) <% searchable_name(first_name, last_name) LIMIT $3'
    USING current_profile(), words, most;
END $$;

-- Whose e-mail or phone, as `kind` says, has the pattern.
CREATE FUNCTION customers_reached_by(kind text, pattern text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT DISTINCT customer_id FROM (
       SELECT customer_id FROM identifiers
       WHERE profile_id = $1 AND type IN (''email'', ''phone'') AND type = $2 AND value LIKE $3 LIMIT $4) AS found'
    USING current_profile(), kind, pattern, most;
END $$;

-- Whose e-mail is nearly the one that was meant.
CREATE FUNCTION customers_nearly_reached_by(email text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  SET pg_trgm.word_similarity_threshold = 0.6 AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT DISTINCT customer_id FROM (
       SELECT customer_id FROM identifiers
       WHERE profile_id = $1 AND type IN (''email'', ''phone'') AND type = ''email'' AND $2 <% value LIMIT $3) AS found'
    USING current_profile(), email, most;
END $$;
