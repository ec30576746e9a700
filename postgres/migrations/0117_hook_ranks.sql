-- Providers' times are whole seconds, or coarse: of two notifications of one moment the one whose kind follows the other's
-- holds, whichever came first.
ALTER TABLE hook_states ADD COLUMN rank smallint NOT NULL DEFAULT 0;
