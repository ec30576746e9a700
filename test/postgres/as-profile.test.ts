import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asProfile } from '../../postgres/as-profile.ts'
import { createProfile, openPostgres } from '../profiles.ts'

describe('serving one profile', () => {
  let pool: pg.Pool
  let mine: string
  let theirs: string

  beforeAll(async () => {
    pool = await openPostgres()
    mine = await createProfile(pool)
    theirs = await createProfile(pool)
    for (const profile of [mine, theirs]) {
      await pool.query("INSERT INTO tracking_keys (profile_id, key) VALUES ($1, 'tk_' || gen_random_uuid())", [profile])
    }
  })
  afterAll(() => pool.end())

  it('shows the rows of that profile alone, even to SQL that names no profile', async () => {
    const { rows } = await asProfile(pool, mine, (tx) => tx.query('SELECT DISTINCT profile_id FROM tracking_keys'))
    expect(rows).toEqual([{ profile_id: mine }])
  })

  it('neither changes nor removes nor adds a row of another profile', async () => {
    const changed = await asProfile(pool, mine, (tx) =>
      tx.query('UPDATE tracking_keys SET revoked_at = now() WHERE profile_id = $1', [theirs]),
    )
    expect(changed.rowCount).toBe(0)
    const added = asProfile(pool, mine, (tx) =>
      tx.query("INSERT INTO tracking_keys (profile_id, key) VALUES ($1, 'tk_stolen')", [theirs]),
    )
    await expect(added).rejects.toThrow(/row-level security/)
  })

  it('leaves the connection as it came', async () => {
    await asProfile(pool, mine, async () => {})
    const { rows } = await pool.query(
      "SELECT current_user <> 'touchline_serving' AS back, current_profile() AS profile",
    )
    expect(rows).toEqual([{ back: true, profile: null }])
  })

  it('covers every table that has a profile', async () => {
    const { rows } = await pool.query(
      `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
         AND a.attname = 'profile_id' AND NOT c.relrowsecurity`,
    )
    expect(rows).toEqual([])
  })

  it('is served by a role that cannot bypass it', async () => {
    const { rows } = await pool.query(
      "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = 'touchline_serving'",
    )
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false }])
  })
})
