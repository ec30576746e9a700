-- Names are found by way of their words. A million customers share some tens of thousands of them: which words have a
-- part, or are nearly the one that was typed, is read off these, and who is called so off an index by whole words.
-- Trigrams of every name gathered a tenth of all customers to find a page of them.

-- Cut where no real name ends, since a word has to fit into an index.
CREATE FUNCTION words_of_name(first_name text, last_name text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN array_remove(string_to_array(left(searchable_name(first_name, last_name), 400), ' '), '');

-- Hashes of each word with its profile. The profile as a column of its own would be a list of all its customers, which
-- every search had to go through; and an index of this kind keeps its keys for ever, so they spell nobody's name.
CREATE FUNCTION name_key(profile_id uuid, word text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN hashtextextended(profile_id || word, 0);
CREATE FUNCTION name_keys(profile_id uuid, first_name text, last_name text) RETURNS bigint[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ARRAY(SELECT name_key(profile_id, word) FROM unnest(words_of_name(first_name, last_name)) AS word);

DROP INDEX customers_by_name;
CREATE INDEX customers_by_name ON customers USING gin (name_keys(profile_id, first_name, last_name))
  -- What is not sorted in yet is read by every search.
  WITH (gin_pending_list_limit = 512) WHERE first_name IS NOT NULL OR last_name IS NOT NULL;

-- The words, and how many customers have each. A word that nobody has any more has no row: nothing of somebody who was
-- erased is left.
CREATE TABLE name_words (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  word text COLLATE "C" NOT NULL,
  customers integer NOT NULL,
  PRIMARY KEY (profile_id, word)
) WITH (fillfactor = 70);
CREATE INDEX name_words_by_trigram ON name_words USING gin (profile_id, word gin_trgm_ops)
  WITH (fastupdate = off);
SELECT protect_tenant_table('name_words');

-- Counts anew, where customers came past the triggers below and nobody else writes them.
CREATE FUNCTION count_name_words(of_profile uuid) RETURNS void LANGUAGE sql AS $$
  DELETE FROM name_words WHERE profile_id = of_profile;
  INSERT INTO name_words
  SELECT profile_id, word, count(DISTINCT id)
  FROM customers CROSS JOIN LATERAL unnest(words_of_name(first_name, last_name)) AS word
  WHERE profile_id = of_profile GROUP BY profile_id, word;
$$;
SELECT count_name_words(id) FROM profiles;

-- Whoever writes customers holds the lock of their profile; words are written in order all the same. Customers are
-- deleted only with their profile, and its words with it.
CREATE FUNCTION follow_name_words() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  before text := CASE TG_OP WHEN 'UPDATE' THEN 'UNION ALL SELECT *, -1 FROM old_rows' ELSE '' END;
  unused text[];
BEGIN
  EXECUTE format(
    'WITH words AS (
       SELECT profile_id, word, sum(step) AS customers
       FROM (SELECT *, 1 AS step FROM new_rows %s) AS changed
       CROSS JOIN LATERAL (SELECT DISTINCT unnest(words_of_name(first_name, last_name)) AS word) AS called
       GROUP BY profile_id, word HAVING sum(step) <> 0),
     counted AS (
       INSERT INTO name_words AS w SELECT * FROM words ORDER BY profile_id, word
       ON CONFLICT (profile_id, word) DO UPDATE SET customers = w.customers + excluded.customers
       RETURNING *)
     SELECT array_agg(profile_id || word) FROM counted WHERE customers <= 0', before) INTO unused;
  IF unused IS NOT NULL THEN
    DELETE FROM name_words w USING unnest(unused) AS u
    WHERE w.profile_id = left(u, 36)::uuid AND w.word = substr(u, 37);
  END IF;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION follow_name_words() FROM PUBLIC;
CREATE TRIGGER words_of_new_names AFTER INSERT ON customers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_name_words();
CREATE TRIGGER words_of_changed_names AFTER UPDATE ON customers
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION follow_name_words();

-- Patterns are of whole names, in which each word has a space before it (0050).
CREATE FUNCTION word_pattern(name_pattern text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN replace(searchable(name_pattern), '% ', '');

-- How many are called so at most: whoever has two such words counts twice.
CREATE FUNCTION count_named(pattern text) RETURNS bigint
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
  SELECT coalesce(sum(customers), 0) FROM name_words
  WHERE profile_id = current_profile() AND word LIKE word_pattern(pattern);
$$;

-- Whose names fulfil the condition, at most `most` of them. Keys are hashes, so the profile has the last word.
CREATE FUNCTION customers_where(condition text, most integer) RETURNS uuid[]
  LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  found uuid[];
BEGIN
  EXECUTE format(
    'SELECT array_agg(id) FROM (
       SELECT id FROM customers
       WHERE (first_name IS NOT NULL OR last_name IS NOT NULL) AND (%s) AND (profile_id = $2) IS TRUE LIMIT $1) AS found',
    condition) INTO found USING most, current_profile();
  RETURN coalesce(found, '{}');
END $$;

-- Never more than one of these with OR: the planner would rather compare every customer.
CREATE FUNCTION has_word_of(keys bigint[]) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN format('name_keys(profile_id, first_name, last_name) && %L::bigint[]', keys);

-- Whose names have all of the patterns.
CREATE OR REPLACE FUNCTION customers_named(patterns text[], most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  -- So many words are looked up at once: what that costs grows with their square.
  few CONSTANT integer := 100;
  profile CONSTANT uuid := current_profile();
  sought record;
  keys bigint[];
  enough integer;
  conditions text := '';
  found uuid[] := '{}';
BEGIN
  FOR sought IN
    SELECT pattern, words.* FROM unnest(patterns) AS pattern
    CROSS JOIN LATERAL (
      -- The shortest words have the least beside the pattern; the first `enough` make a page, though some have two of them.
      SELECT coalesce(array_agg(name_key(profile, word) ORDER BY length(word), word), '{}') AS keys,
        count(*) FILTER (WHERE before < 3 * most) AS enough
      FROM (
        SELECT word, sum(customers) OVER (ORDER BY length(word), word) - customers AS before
        FROM name_words WHERE profile_id = profile AND word LIKE word_pattern(pattern)) AS having_it) AS words
    ORDER BY cardinality(words.keys)
  LOOP
    -- The pattern that the fewest words have leads to the names; one that very many have is compared with these.
    IF keys IS NULL THEN
      keys := sought.keys;
      enough := sought.enough;
    ELSIF cardinality(sought.keys) <= few THEN
      conditions := conditions || ' AND ' || has_word_of(sought.keys);
    ELSE
      conditions := conditions
        || format(' AND left(searchable_name(first_name, last_name), 400) LIKE %L', searchable(sought.pattern));
    END IF;
  END LOOP;
  IF coalesce(cardinality(keys), 0) = 0 THEN
    RETURN;
  END IF;
  IF conditions = '' AND enough < few THEN
    found := customers_where(has_word_of(keys[:enough]), most);
    IF cardinality(found) >= most THEN
      RETURN QUERY SELECT unnest(found);
      RETURN;
    END IF;
  END IF;
  FOR n IN 1 .. cardinality(keys) BY few LOOP
    SELECT array_agg(DISTINCT id) INTO found
    FROM unnest(found || customers_where(has_word_of(keys[n:n + few - 1]) || conditions, most)) AS id;
    EXIT WHEN cardinality(found) >= most;
  END LOOP;
  RETURN QUERY SELECT unnest(found) LIMIT most;
END $$;

-- Words that somebody who typed this may have meant: alike by their trigrams, as a whole or how they begin, or with two
-- neighbouring letters the other way round.
CREATE FUNCTION near_words(typed text) RETURNS TABLE (word text, closeness real)
  LANGUAGE sql STABLE SET enable_seqscan = off SET pg_trgm.word_similarity_threshold = 0.45 AS $$
  SELECT word, max(closeness) FROM (
    SELECT w.word, greatest(similarity(typed, w.word), word_similarity(typed, w.word)) AS closeness
    FROM name_words w WHERE w.profile_id = current_profile() AND (typed % w.word OR typed <% w.word)
    UNION ALL
    SELECT w.word, 1 FROM (
      SELECT overlay(typed PLACING reverse(substr(typed, n, 2)) FROM n FOR 2) AS meant
      FROM generate_series(1, length(typed) - 1) AS n) AS swapped
    JOIN name_words w ON w.profile_id = current_profile()
      AND w.word >= swapped.meant COLLATE "C" AND w.word < (swapped.meant || chr(1114111)) COLLATE "C") AS near
  GROUP BY word ORDER BY max(closeness) DESC, word LIMIT 50;
$$;

-- Whose names are nearly the words: all of them, or all but one where nobody has them all.
CREATE OR REPLACE FUNCTION customers_nearly_named(words text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  most_words CONSTANT integer := 6;
  typed CONSTANT text[] := (array_remove(string_to_array(searchable(words), ' '), ''))[:most_words];
  closest text[];
  near text[];
  found uuid[] := '{}';
BEGIN
  SELECT array_agg(has_word_of(meant.closest)), array_agg(has_word_of(meant.words)) INTO closest, near
  FROM unnest(typed) AS word
  CROSS JOIN LATERAL (
    SELECT array_agg(name_key(current_profile(), n.word)) AS words,
      array_agg(name_key(current_profile(), n.word)) FILTER (WHERE n.closeness = n.best) AS closest
    FROM (SELECT *, max(closeness) OVER () AS best FROM near_words(word)) AS n) AS meant
  WHERE meant.words IS NOT NULL;
  IF cardinality(near) = cardinality(typed) THEN
    found := customers_where(array_to_string(closest, ' AND '), most);
    IF cardinality(found) < most THEN
      found := found || customers_where(array_to_string(near, ' AND '), most);
    END IF;
    IF cardinality(found) = 0 AND cardinality(near) > 1 THEN
      FOR n IN 1 .. cardinality(near) LOOP
        found := found || customers_where(array_to_string(near[:n - 1] || near[n + 1:], ' AND '), most);
      END LOOP;
    END IF;
  ELSIF cardinality(near) > 0 AND cardinality(near) = cardinality(typed) - 1 THEN
    found := customers_where(array_to_string(near, ' AND '), most);
  END IF;
  -- The closest come first.
  RETURN QUERY SELECT id FROM unnest(found) WITH ORDINALITY AS f (id, place) GROUP BY id ORDER BY min(place) LIMIT most;
END $$;

-- As many rows as there are addresses: who asks has to see that some were cut off, which a customer with two would hide.
CREATE OR REPLACE FUNCTION customers_mailed_at(beginning text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT customer_id FROM identifiers WHERE profile_id = $1 AND type = ''email'' AND value LIKE $2 LIMIT $3'
    USING current_profile(), beginning, most;
END $$;

CREATE OR REPLACE FUNCTION customers_reached_by(kind text, pattern text, most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  -- The pattern of a part begins with %; a phone is stored with its +.
  beginning text := CASE kind WHEN 'phone' THEN '+' ELSE '' END || substr(pattern, 2);
  found uuid[];
BEGIN
  EXECUTE format(
    'SELECT array_agg(customer_id) FROM (
       SELECT customer_id FROM identifiers
       WHERE profile_id = $1 AND type = %L AND value LIKE $2 LIMIT $3) AS begins', kind)
    INTO found USING current_profile(), beginning, most;
  IF cardinality(found) >= most THEN
    RETURN QUERY SELECT unnest(found);
    RETURN;
  END IF;
  RETURN QUERY EXECUTE
    'SELECT customer_id FROM identifiers
     WHERE profile_id = $1 AND type IN (''email'', ''phone'') AND type = $2 AND value LIKE $3 LIMIT $4'
    USING current_profile(), kind, pattern, most;
END $$;
