import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPasswordOf } from '../../../domain/passwords.ts'
import { loadConfig } from '../../../infra/config.ts'
import { transaction } from '../../../postgres/client.ts'
import { createApp, findApp } from '../../../postgres/stores/apps.ts'
import { changeProfile, type ProfileChange } from '../../../postgres/stores/profiles.ts'
import { createProfile, createWorkspace, findProfile } from '../../../postgres/stores/tenancy.ts'
import { createUser } from '../../../postgres/stores/users.ts'
import { decode } from '../../../schemas/codec.ts'
import type { Setting } from '../../../schemas/messages.ts'
import { topics } from '../../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { openPostgres } from '../../profiles.ts'

let database: FreshDatabase
let pool: pg.Pool
beforeAll(async () => {
  await (await openPostgres()).end()
  database = await freshDatabase(loadConfig({ ...process.env, BASE_URL: '' }).databaseUrl)
  pool = database.pool
})
afterAll(() => database.drop())

async function settingsOf(profileId: string): Promise<Setting[]> {
  const { rows } = await pool.query<{ value: Buffer }>(
    "SELECT value FROM outbox WHERE topic = 'settings' AND key = $1 ORDER BY id",
    [profileId],
  )
  return rows.map(({ value }) => {
    const decoded = decode(topics.settings, value)
    if (decoded.kind !== 'ok') throw new Error(decoded.why)
    return decoded.value
  })
}

describe('a new profile', () => {
  it('has its definitions, each with its own key as event type, and the stream is told of all', async () => {
    const { profileId, workspaceId } = await createProfile(pool, {
      name: 'Clínica',
      currency: 'CLP',
      timezone: 'America/Santiago',
    })
    const { rows } = await pool.query(
      `SELECT d.conversion_key, d.revenue_type, d.lookback_window_days, array_agg(t.event_type) AS event_types
       FROM conversion_definitions d JOIN definition_event_types t ON t.definition_id = d.id
       WHERE d.profile_id = $1 GROUP BY d.id ORDER BY 1`,
      [profileId],
    )
    const expected = {
      appointment_booked: 'pipeline',
      closed_won: 'pipeline',
      dm_started: 'messaging',
      lead_created: 'pipeline',
      payment_received: 'cash',
      quote_sent: 'pipeline',
    }
    expect(rows).toEqual(
      Object.entries(expected).map(([conversion_key, revenue_type]) => ({
        conversion_key,
        revenue_type,
        lookback_window_days: 30,
        event_types: [conversion_key],
      })),
    )
    const [profile, ...definitions] = await settingsOf(profileId)
    expect(profile).toMatchObject({
      profile_id: profileId,
      value: { 'touchline.ProfileSetting': { reporting_currency: 'CLP', timezone: 'America/Santiago' } },
    })
    expect(definitions).toHaveLength(6)
    expect(await findProfile(pool, profileId)).toMatchObject({ workspaceId, currency: 'CLP', isHealthcare: false })
  })

  it('joins a workspace that there is', async () => {
    const workspaceId = await createWorkspace(pool, 'Group')
    const first = await createProfile(pool, { name: 'A', workspaceId })
    const second = await createProfile(pool, { name: 'B', workspaceId, privacyMode: 'hipaa' })
    expect([first.workspaceId, second.workspaceId]).toEqual([workspaceId, workspaceId])
    expect(await findProfile(pool, second.profileId)).toMatchObject({ privacyMode: 'hipaa', isHealthcare: true })
  })

  it('leaves nothing behind when it cannot be created', async () => {
    const before = await pool.query('SELECT count(*) FROM outbox')
    const nowhere = { name: 'A', workspaceId: '7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57' }
    await expect(createProfile(pool, nowhere)).rejects.toThrow()
    expect((await pool.query('SELECT count(*) FROM outbox')).rows).toEqual(before.rows)
  })
})

describe('a change of a profile', () => {
  it('reaches the stream when figures depend on it, and only then', async () => {
    const { profileId } = await createProfile(pool, { name: 'Shop' })
    const change = (changed: ProfileChange) => transaction(pool, (tx) => changeProfile(tx, profileId, changed))
    await change({ name: 'Renamed', privacyMode: 'hipaa', timezone: 'UTC' })
    expect(await settingsOf(profileId)).toHaveLength(7)
    await change({ reportingCurrency: 'CLP' })
    await change({ timezone: 'America/Lima' })
    const [currency, timezone, ...rest] = (await settingsOf(profileId)).slice(7)
    expect(rest).toEqual([])
    const setting = (reporting_currency: string, timezone: string) => ({
      value: { 'touchline.ProfileSetting': { reporting_currency, timezone } },
    })
    expect(currency).toMatchObject({ version: 2, ...setting('CLP', 'UTC') })
    expect(timezone).toMatchObject({ version: 3, ...setting('CLP', 'America/Lima') })
  })
})

describe('an app', () => {
  it('is found by both its ids and kept without its secret', async () => {
    const app = await createApp(pool, { name: 'Partner', tier: 'elevated', redirectUris: [], returnOrigins: [] })
    expect(await findApp(pool, app.appId)).toEqual(await findApp(pool, app.clientId))
    const { rows } = await pool.query('SELECT row_to_json(a)::text AS text FROM apps a WHERE id = $1', [app.appId])
    expect(rows[0].text).not.toContain(app.clientSecret)
  })
})

describe('a user', () => {
  it('is one per e-mail address, whatever its case, with a hashed password', async () => {
    const workspaceId = await createWorkspace(pool, 'Group')
    const user = await createUser(pool, {
      email: ' Ana@Example.com',
      password: 'correct horse',
      workspaceId,
      role: 'admin',
    })
    expect(await createUser(pool, { email: 'ana@example.com', password: 'other words' })).toBeUndefined()
    const { rows } = await pool.query('SELECT email, password_hash FROM users WHERE id = $1', [user!.userId])
    expect(rows[0].email).toBe('ana@example.com')
    expect(await isPasswordOf('correct horse', rows[0].password_hash)).toBe(true)
    expect(await isPasswordOf('wrong horse', rows[0].password_hash)).toBe(false)
    const members = await pool.query('SELECT role FROM memberships WHERE user_id = $1', [user!.userId])
    expect(members.rows).toEqual([{ role: 'admin' }])
  })
})
