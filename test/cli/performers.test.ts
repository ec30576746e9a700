import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scoreStates } from '../../postgres/stores/ad-scores.ts'
import { createProfile, openPostgres } from '../profiles.ts'

const entry = join(import.meta.dirname, '../../cli/main.ts')
let pool: pg.Pool
beforeAll(async () => {
  pool = await openPostgres()
  expect((await touchline('migrate')).code).toBe(0)
})
afterAll(() => pool.end())

const touchline = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    // Vitest sets a BASE_URL of its own.
    const options = { env: { ...process.env, BASE_URL: '' } }
    execFile(process.execPath, [entry, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })

describe('touchline performers score', () => {
  it('ranks a profile now and says what it did', async () => {
    const profile = await createProfile(pool)
    const { code, out } = await touchline('performers', 'score', '--profile', profile, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ profiles: 1, rankings: 4, ads: 0, took_ms: expect.any(Number) })
    const [state] = await scoreStates(pool, [{ profileId: profile, ads: 0 }])
    expect(Object.keys(state!.throughDays).sort()).toEqual(['14d', '28d', '7d', 'lifetime'])
  })

  it.each([
    ['of no profile', ['--profile', randomUUID()], /there is no profile/],
    ['of something else', ['--profile', 'all'], /not the id of a profile/],
    ['of a window that there is not', ['--window', '30d'], /choices/],
  ])('refuses the ranking %s in one sentence', async (_, args, sentence) => {
    const { code, err } = await touchline('performers', 'score', ...args)
    expect(code).toBe(1)
    expect(err).toMatch(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})
