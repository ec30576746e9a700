-- How many ads the profile had when it was ranked, those outside the window included: more of them make it due again.
ALTER TABLE ad_score_runs ADD COLUMN known_ads integer NOT NULL DEFAULT 0;
