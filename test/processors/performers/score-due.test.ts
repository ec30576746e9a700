import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { adEvidence } from '../../../clickhouse/queries/ad-evidence.ts'
import { transaction } from '../../../postgres/client.ts'
import type { ScoreState } from '../../../postgres/stores/ad-scores.ts'
import {
  lastRanking,
  releaseScoringLock,
  scoreStates,
  takeScoringLock,
  topPerformers,
} from '../../../postgres/stores/ad-scores.ts'
import { changeProfile } from '../../../postgres/stores/profiles.ts'
import { dueWindows, scoreDue } from '../../../processors/performers/score-due.ts'
import { scoreWindow } from '../../../processors/performers/score-profile.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { createProfile, serverUrl } from '../../profiles.ts'
import { openProfile } from '../attribution/world.ts'

// A database of its own: what is due is asked of all profiles together.
let database: FreshDatabase
let pool: pg.Pool
let warehouse: FreshWarehouse
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
  warehouse = await freshWarehouse()
})
afterAll(async () => {
  await warehouse.drop()
  await database.drop()
})

const noon = Date.parse('2026-10-20T12:00:00Z')
const clock = (time: number) => () => time

async function advertiser() {
  const id = await createProfile(pool)
  const world = await openProfile(warehouse, { profile: id })
  await world.ad('111', { spend_minor: 100, impressions: 50, clicks: 5 })
  return id
}
const scoredDays = async (profileId: string, ads = 1) => (await scoreStates(pool, [{ profileId, ads }]))[0]!.throughDays

describe('the daily rebuild', () => {
  it('ranks every window of whoever has ads, once a day', async () => {
    const id = await advertiser()
    const deps = { postgres: pool, warehouse, clock: clock(noon) }
    expect(await scoreDue(deps)).toBe(4)
    expect(await scoredDays(id)).toEqual({
      '7d': '2026-10-19',
      '14d': '2026-10-19',
      '28d': '2026-10-19',
      lifetime: '2026-10-19',
    })
    expect(await scoreDue(deps)).toBe(0)
    expect(await scoreDue({ ...deps, clock: clock(noon + 86_400_000) })).toBe(4)
  })

  it('goes on after a crash with what was not done yet', async () => {
    const id = await advertiser()
    const deps = { postgres: pool, clock: clock(noon + 2 * 86_400_000) }
    await scoreDue({ ...deps, warehouse })
    let asked = 0
    const dying: Warehouse = {
      ...warehouse,
      run: async (query, params) => {
        if ((query as unknown) === adEvidence && ++asked > 2) throw new Error('killed')
        return warehouse.run(query, params)
      },
    }
    const nextDay = { postgres: pool, clock: clock(noon + 3 * 86_400_000) }
    const before = await scoreDue({ ...nextDay, warehouse: dying })
    expect(before).toBe(2)
    const after = await scoreDue({ ...nextDay, warehouse })
    expect(before + after).toBe(8)
    expect(await scoredDays(id)).toMatchObject({ '7d': '2026-10-22', lifetime: '2026-10-22' })
  })

  it('works no return out of a spend of which a part has no rate', async () => {
    const id = await createProfile(pool)
    const world = await openProfile(warehouse, { profile: id })
    await world.ad('111', { spend_minor: 100, impressions: 50, clicks: 5 })
    await world.ad('222', { spend_minor: 100, impressions: 50, clicks: 5 })
    await world.ad('222', {
      spend_minor: 900,
      impressions: 50,
      clicks: 5,
      currency: 'XOF',
      date: Date.parse('2026-10-16') / 86_400_000,
    })
    await world.ad('333', { spend_minor: 100, impressions: 50, clicks: 5 })
    await world.ad('333', { spend_minor: 0, currency: 'XOF', date: Date.parse('2026-10-16') / 86_400_000 })
    await scoreDue({ postgres: pool, warehouse, clock: clock(noon + 3 * 86_400_000) })
    const { rows } = await pool.query(
      `SELECT ad ->> 'ad_external_id' AS id, ad -> 'spend' AS spend, ad -> 'cpc' AS cpc FROM ad_scores
       WHERE profile_id = $1 AND score_window = 'lifetime' ORDER BY 1`,
      [id],
    )
    expect(rows).toEqual([
      { id: '111', spend: 1, cpc: 0.2 },
      { id: '222', spend: 1, cpc: null },
      { id: '333', spend: 1, cpc: 0.2 },
    ])
  })

  it('tells no value that the platform claims where a part of it has no rate', async () => {
    const id = await createProfile(pool)
    const world = await openProfile(warehouse, { profile: id })
    const later = { currency: 'XOF', spend_minor: 0, date: Date.parse('2026-10-16') / 86_400_000 }
    for (const ad of ['111', '222']) await world.ad(ad, { spend_minor: 100, platform_conversion_value_minor: 500 })
    await world.ad('222', { ...later, platform_conversion_value_minor: 900 })
    await scoreDue({ postgres: pool, warehouse, clock: clock(noon + 3 * 86_400_000) })
    const { rows } = await pool.query(
      `SELECT ad ->> 'ad_external_id' AS id, ad -> 'meta_reported_conversion_value' AS claimed FROM ad_scores
       WHERE profile_id = $1 AND score_window = 'lifetime' ORDER BY 1`,
      [id],
    )
    expect(rows).toEqual([
      { id: '111', claimed: 5 },
      { id: '222', claimed: null },
    ])
  })

  it('leaves the work to whoever is at it', async () => {
    await advertiser()
    const other = await pool.connect()
    try {
      expect(await takeScoringLock(other)).toBe(true)
      const deps = { postgres: pool, warehouse, clock: clock(noon + 5 * 86_400_000) }
      expect(await scoreDue(deps)).toBe(0)
      await releaseScoringLock(other)
      expect(await scoreDue(deps)).toBeGreaterThan(0)
    } finally {
      other.release()
    }
  })

  it('ranks again after a replay has changed figures', async () => {
    const id = await advertiser()
    const deps = { postgres: pool, warehouse, clock: clock(noon + 6 * 86_400_000) }
    await scoreDue(deps)
    await pool.query(
      `INSERT INTO replays (kind, profile_id, status, finished_at) VALUES ('partial', $1, 'completed', now() + interval '1 second')`,
      [id],
    )
    expect(await scoredDays(id)).toEqual({})
    expect(await scoreDue(deps)).toBe(4)
  })

  it('ranks again when ads have come since, once they had time to gather', async () => {
    const id = await advertiser()
    await scoreDue({ postgres: pool, warehouse, clock: clock(noon + 7 * 86_400_000) })
    expect(Object.keys(await scoredDays(id, 2))).toHaveLength(4)
    await pool.query(`UPDATE ad_score_runs SET scored_at = now() - interval '11 minutes' WHERE profile_id = $1`, [id])
    expect(await scoredDays(id, 2)).toEqual({})
    expect(Object.keys(await scoredDays(id, 1))).toHaveLength(4)
  })

  it('shows no amounts of a currency that is not the profile’s any more, and ranks again when credit is in the new one', async () => {
    const id = await advertiser()
    const deps = { postgres: pool, warehouse, clock: clock(noon) }
    await scoreDue(deps)
    await transaction(pool, (tx) => changeProfile(tx, id, { timezone: 'America/Santiago' }))
    expect(await topPerformers(pool, id, { window: '28d', limit: 10 })).toHaveLength(1)
    const [before] = await scoreStates(pool, [{ profileId: id, ads: 1 }])
    await transaction(pool, (tx) => changeProfile(tx, id, { reportingCurrency: 'CLP' }))
    expect(await topPerformers(pool, id, { window: '28d', limit: 10 })).toEqual([])
    expect(await lastRanking(pool, id, '28d')).toBeUndefined()
    // A ranking that was under way meanwhile is not kept either.
    await scoreWindow(deps, before!, '28d', '2026-10-19')
    expect(await topPerformers(pool, id, { window: '28d', limit: 10 })).toEqual([])
    expect(await scoreDue(deps)).toBe(0)
    await pool.query("UPDATE ad_score_runs SET scored_at = scored_at - interval '1 hour' WHERE profile_id = $1", [id])
    expect(await scoreDue(deps)).toBe(4)
    expect(await topPerformers(pool, id, { window: '28d', limit: 10 })).toHaveLength(1)
  })

  it('follows the day of the profile', () => {
    const state = (timezone: string): ScoreState => ({
      id: '',
      ads: 1,
      currency: 'USD',
      timezone,
      throughDays: { '7d': '2026-10-18', '14d': '2026-10-19' },
    })
    const due = (timezone: string, time: string) => dueWindows(state(timezone), Date.parse(time)).map((d) => d.window)
    expect(due('UTC', '2026-10-20T12:00:00Z')).toEqual(['7d', '28d', 'lifetime'])
    expect(due('America/Santiago', '2026-10-20T05:00:00Z')).toEqual(['28d', 'lifetime'])
  })
})
