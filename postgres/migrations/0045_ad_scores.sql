-- The ranking of a profile's ads, one for each window, replaced whole when it is made again. No history: it can be made
-- again from the warehouse at any time.
CREATE TABLE ad_scores (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  score_window text NOT NULL CHECK (score_window IN ('7d', '14d', '28d', 'lifetime')),
  -- 1 is the best.
  rank integer NOT NULL,
  -- What the ranking is filtered by.
  spend double precision NOT NULL,
  objective text NOT NULL,
  format text NOT NULL,
  is_video boolean NOT NULL,
  truth_grade text NOT NULL,
  outcome_kind text NOT NULL,
  -- The ad as it is shown.
  ad jsonb NOT NULL,
  PRIMARY KEY (profile_id, score_window, rank)
);

-- What has been ranked, and up to which day: the next rebuild is due when that day is not the newest any more.
CREATE TABLE ad_score_runs (
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  score_window text NOT NULL CHECK (score_window IN ('7d', '14d', '28d', 'lifetime')),
  through_day date NOT NULL,
  n_ads integer NOT NULL,
  scored_at timestamptz NOT NULL,
  PRIMARY KEY (profile_id, score_window)
);

SELECT protect_tenant_table(name::regclass) FROM unnest(ARRAY['ad_scores', 'ad_score_runs']) AS name;
