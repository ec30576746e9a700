import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stageStore } from '../../postgres/stores/pipeline-stages.ts'
import { createProfile } from '../../postgres/stores/tenancy.ts'
import { openPostgres } from '../profiles.ts'

const entry = join(import.meta.dirname, '../../cli/main.ts')
let pool: pg.Pool
let profile: string
beforeAll(async () => {
  pool = await openPostgres()
  profile = (await createProfile(pool, { name: 'Clinic' })).profileId
  const stage = { profileId: profile, provider: 'hubspot', pipeline: 'Ventas', namedAt: 1 }
  await stageStore(pool).observe([
    { ...stage, stageId: '1', name: 'Agendado' },
    { ...stage, stageId: '2', name: 'Etapa 2' },
  ])
})
afterAll(() => pool.end())

const touchline = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    // Vitest sets a BASE_URL of its own.
    const options = { env: { ...process.env, BASE_URL: '' } }
    execFile(process.execPath, [entry, 'stages', ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
const listed = async () => {
  const { out } = await touchline('list', '--profile', profile, '--json')
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('touchline stages', () => {
  it('lists stages and maps one', async () => {
    const [booked, second] = await listed()
    expect(booked).toMatchObject({ stage_id: '1', event_key: 'appointment_booked', source: 'suggested' })
    expect(second).toMatchObject({
      pipeline: 'Ventas',
      name: 'Etapa 2',
      event_key: 'unmapped',
      source: 'engine_default',
    })
    const { code, out } = await touchline('map', second.id, '--profile', profile, '--to', 'quote_sent', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ ...second, event_key: 'quote_sent', source: 'user' })
    expect(await listed()).toEqual([booked, { ...second, event_key: 'quote_sent', source: 'user' }])
  })

  it.each([
    ['cash', 'payment_received', /a stage can count as .*lead_created, .*unmapped, ignored/],
    ['what no definition counts', 'magic', /a stage can count as/],
    ['a stage that there is not', 'ignored', /has no stage/],
  ])('refuses %s in one sentence', async (_, key, sentence) => {
    const { code, err } = await touchline('map', randomUUID(), '--profile', profile, '--to', key)
    expect(code).toBe(1)
    expect(err).toMatch(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})
