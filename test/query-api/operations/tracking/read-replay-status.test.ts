import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { advanceReplay, completeReplay, failReplay, flip, startReplay } from '../../../../postgres/stores/replays.ts'
import { readReplayStatus } from '../../../../query-api/operations/tracking/read-replay-status.ts'
import { type FreshDatabase, freshDatabase } from '../../../fresh-database.ts'
import { baseUrl, bearer, captureLog } from '../../../http/test-app.ts'
import { createProfile, serverUrl } from '../../../profiles.ts'

let database: FreshDatabase
let app: FastifyInstance

beforeAll(async () => {
  // A full replay concerns every profile, so other tests must not see these.
  database = await freshDatabase(serverUrl)
  app = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(database.pool),
    mounts: [mount([readReplayStatus], { postgres: database.pool, clickhouse: undefined as never }, ['postgres'])],
  })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const status = async (profile: string) => {
  const headers = await bearer(database.pool, profile, ['analytics:read'], 1000)
  return (await app.inject({ url: '/api/v1/tracking/replay-status', headers })).json().data
}
const request = { profileId: null, from: null, isDryRun: false, generation: 2 }

it('tells a profile of its own replays and of those of everybody, and of no other', async () => {
  const { pool } = database
  const [profile, other] = [await createProfile(pool), await createProfile(pool)]
  expect(await status(profile)).toBeNull()

  const from = new Date('2026-11-01')
  const partial = await startReplay(pool, { ...request, kind: 'partial', profileId: profile, from })
  await advanceReplay(pool, partial.id, { messagesDone: 50, messagesTotal: 100 })
  expect(await status(profile)).toEqual({
    id: partial.id,
    kind: 'partial',
    status: 'running',
    from: from.toISOString(),
    progress_percent: 35,
    started_at: partial.startedAt.toISOString(),
    finished_at: null,
  })
  expect(await status(other)).toBeNull()
  await completeReplay(pool, partial.id)

  const full = await startReplay(pool, { ...request, kind: 'full' })
  expect(await status(other)).toMatchObject({ id: full.id, status: 'running', progress_percent: 0 })
  await flip(pool, full.id)
  expect(await status(profile)).toMatchObject({ id: full.id, status: 'flipped' })
  await failReplay(pool, full.id, 'interrupted')
  expect(await status(profile)).toMatchObject({ status: 'failed', finished_at: null })
  await completeReplay(pool, full.id)
  expect(await status(profile)).toMatchObject({
    status: 'completed',
    progress_percent: 100,
    finished_at: expect.any(String),
  })

  const { rows } = await pool.query(
    'SELECT profile_id, type, data->>$1 AS id FROM lifecycle_events ORDER BY occurred_at',
    ['replay_id'],
  )
  const told = (profile_id: string, id: string) => ({ profile_id, type: 'recompute.completed', id })
  expect(rows).toHaveLength(3)
  expect(rows).toEqual(
    expect.arrayContaining([told(profile, partial.id), told(profile, full.id), told(other, full.id)]),
  )
})

it('says nothing of a dry run or of rejected messages that were sent again', async () => {
  const { pool } = database
  const profile = await createProfile(pool)
  const before = await status(profile)
  await startReplay(pool, { ...request, kind: 'full', isDryRun: true, profileId: profile })
  await startReplay(pool, { ...request, kind: 'rejected' })
  expect(await status(profile)).toEqual(before)
})
