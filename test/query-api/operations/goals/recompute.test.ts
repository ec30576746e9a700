import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { connectProducer, type Producer } from '../../../../infra/kafka/producer.ts'
import { dirtyCustomersPipeline } from '../../../../processors/dirty-customers.ts'
import { runOutboxRelay } from '../../../../processors/outbox-relay.ts'
import { type Running, run } from '../../../../processors/runner/run.ts'
import { settingsPipeline } from '../../../../processors/settings.ts'
import { operations } from '../../../../query-api/operations/index.ts'
import { topics } from '../../../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../../../fresh-database.ts'
import { type FreshWarehouse, freshWarehouse } from '../../../fresh-warehouse.ts'
import { baseUrl, bearer, captureLog } from '../../../http/test-app.ts'
import { brokers, createTopics } from '../../../kafka.ts'
import { openProfile } from '../../../processors/attribution/world.ts'
import { createProfile, serverUrl } from '../../../profiles.ts'

let database: FreshDatabase
let warehouse: FreshWarehouse
let producer: Producer
let running: Running[]
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  warehouse = await freshWarehouse()
  await createTopics([topics.settings, topics.dirtyCustomers, topics.rejected])
  producer = connectProducer({ brokers })
  // Consumer groups of their own, so that no other test shares the messages.
  const pipelines = [settingsPipeline({ warehouse, producer }), dirtyCustomersPipeline({ warehouse })]
  running = [
    runOutboxRelay({ postgres: database.pool, producer }),
    run(
      pipelines.map((pipeline) => ({ ...pipeline, name: `test-${randomUUID()}` })),
      { brokers, producer, seal: (bytes) => bytes },
    ),
  ]
})
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()))
  await producer.close()
  await warehouse.drop()
  await database.drop()
})

it('a window or an event type that is saved changes the credit of what came before', async () => {
  const { pool } = database
  const app = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(pool),
    mounts: [mount(operations, { postgres: pool, clickhouse: warehouse }, [])],
  })
  const profile = await createProfile(pool)
  const headers = await bearer(pool, profile, ['goals:write'])
  const save = async (payload: object) => {
    const answer = await app.inject({ method: 'POST', url: '/api/v1/goals/definitions', headers, payload })
    expect([200, 201]).toContain(answer.statusCode)
  }
  const world = await openProfile(warehouse, { profile })
  const now = Date.UTC(2026, 9, 20)
  await world.ad('a1')
  const subject = randomUUID()
  await world.belongs(subject, randomUUID())
  await world.hit(subject, now - 20 * 86_400_000, { ad: 'a1' })
  await world.outcome(subject, now, { type: 'demo' })
  // Visits are derived when they come; what is said of a profile later changes only what they are credited with.
  await world.recompute()

  const credited = async () => (await world.credits()).map(({ touch_ids }) => touch_ids.length)
  const patience = { timeout: 100_000 }
  await save({ conversion_key: 'demo_booked', name: 'Demo', revenue_type: 'pipeline', event_types: ['demo'] })
  await expect.poll(credited, patience).toEqual([1])
  await save({ conversion_key: 'demo_booked', lookback_window_days: 7 })
  await expect.poll(credited, patience).toEqual([0])
  await save({ conversion_key: 'demo_booked', lookback_window_days: 21 })
  await expect.poll(credited, patience).toEqual([1])
  await save({ conversion_key: 'demo_booked', event_types: [] })
  await expect.poll(credited, patience).toEqual([])
  await app.close()
}, 400_000)
