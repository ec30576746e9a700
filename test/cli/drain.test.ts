import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drain } from '../../cli/drain.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { transaction } from '../../postgres/client.ts'
import { enqueue } from '../../postgres/stores/outbox.ts'
import { runOutboxRelay } from '../../processors/outbox-relay.ts'
import { pipeline } from '../../processors/runner/pipeline.ts'
import { type RunDeps, run } from '../../processors/runner/run.ts'
import { topics } from '../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../fresh-database.ts'
import { config } from '../kafka.ts'
import { type OwnBroker, ownBroker } from '../own-broker.ts'
import { profileSetting } from '../schemas/samples.ts'

let database: FreshDatabase
let broker: OwnBroker
let deps: RunDeps
let where: { kafkaBrokers: string[]; databaseUrl: string }

beforeAll(async () => {
  broker = await ownBroker()
  database = await freshDatabase(config.databaseUrl)
  deps = { brokers: broker.brokers, producer: connectProducer({ brokers: broker.brokers }), seal: (bytes) => bytes }
  where = { kafkaBrokers: broker.brokers, databaseUrl: database.url }
}, 120_000)
afterAll(async () => {
  await deps.producer.close()
  await database.drop()
  await broker.end()
})

describe('drain', { timeout: 60_000 }, () => {
  it('returns at once when nothing was ever sent', async () => {
    await drain(where, { timeoutMs: 10_000 })
  })

  it('waits along the whole way: outbox, raw topics, identity changes, dirty customers', async () => {
    const profile = randomUUID()
    await transaction(database.pool, (tx) => enqueue(tx, topics.settings, profileSetting(profile)))
    const stages: string[] = []
    const waits = async () => {
      await expect(drain(where, { timeoutMs: 1, onProgress: (stage) => void stages.push(stage) })).rejects.toThrow(
        'not processed in time',
      )
      return stages.at(-1)
    }
    expect(await waits()).toBe('rows of the outbox')

    const relay = runOutboxRelay({ postgres: database.pool, producer: deps.producer, idleMs: 10 })
    await expect(drain(where, { timeoutMs: 3000 })).rejects.toThrow('messages of settings')
    await relay.stop()

    const { rows } = await database.pool.query<{ id: string }>(
      "INSERT INTO workspaces (name) VALUES ('w') RETURNING id",
    )
    await database.pool.query("INSERT INTO profiles (id, workspace_id, name) VALUES ($1, $2, 'p')", [
      profile,
      rows[0]?.id,
    ])
    const settings = pipeline(topics.settings).sink(
      async () =>
        void (await database.pool.query(
          "INSERT INTO identity_changes SELECT $1, gen_random_uuid(), gen_random_uuid(), nextval('identity_version')",
          [profile],
        )),
    )
    const first = run([settings], deps)
    await expect(drain(where, { timeoutMs: 8000 })).rejects.toThrow('identity changes')
    await first.stop()

    await deps.producer.send(topics.dirtyCustomers, [{ profile_id: profile, subject_ids: [] }])
    await database.pool.query('DELETE FROM identity_changes')
    expect(await waits()).toBe('messages of dirty-customers')

    const last = run([pipeline(topics.dirtyCustomers).sink(async () => {})], deps)
    await drain(where, { timeoutMs: 20_000 })
    await last.stop()
  })
  it('waits for a broker that restarts meanwhile', async () => {
    await broker.kill()
    const drained = drain(where, { timeoutMs: 50_000 })
    await broker.start()
    await drained
  })
})
