-- Whose browser became somebody else's: derived again whatever this very identifier holds.
ALTER TABLE identity_changes ADD COLUMN has_lost_browser boolean NOT NULL DEFAULT false;
