-- When a conversion definition was changed last.
ALTER TABLE conversion_definitions ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
