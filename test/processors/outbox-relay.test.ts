import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { transaction } from '../../postgres/client.ts'
import { enqueue } from '../../postgres/stores/outbox.ts'
import { runOutboxRelay } from '../../processors/outbox-relay.ts'
import type { DirtyCustomers } from '../../schemas/messages.ts'
import type { Topic } from '../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../fresh-database.ts'
import { brokers, config, freshTopic, testCodec, until } from '../kafka.ts'

let database: FreshDatabase
const producer = connectProducer({ brokers })
beforeAll(async () => {
  database = await freshDatabase(config.databaseUrl)
})
afterAll(async () => {
  await producer.close()
  await database.drop()
})

const isEmpty = async () => (await database.pool.query('SELECT FROM outbox')).rowCount === 0

async function contents(topic: Topic<DirtyCustomers>, count: number): Promise<string[]> {
  const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topic.name] })
  const found: string[] = []
  while (found.length < count) {
    for (const { value } of (await consumer.next())?.messages ?? []) {
      const decoded = testCodec.decode(topic, value)
      found.push(decoded.kind === 'ok' ? decoded.value.subject_ids[0]! : decoded.why)
    }
  }
  await consumer.close()
  return found
}

const put = (topic: Topic<DirtyCustomers>, profile_id: string, ...subjects: string[]) =>
  transaction(database.pool, async (tx) => {
    for (const subject of subjects) await enqueue(tx, topic, { profile_id, subject_ids: [subject] }, testCodec)
  })

describe('the outbox relay', { timeout: 60_000 }, () => {
  it('sends what transactions committed, in order, and deletes it', async () => {
    const topic = await freshTopic()
    const profile = randomUUID()
    await put(topic, profile, '1', '2')
    await put(topic, profile, '3')
    await transaction(database.pool, async (tx) => {
      await enqueue(tx, topic, { profile_id: profile, subject_ids: ['rolled back'] }, testCodec)
      throw new Error('no')
    }).catch(() => {})
    const relay = runOutboxRelay({ postgres: database.pool, producer, batchSize: 2, idleMs: 10 })
    await until(isEmpty)
    await put(topic, profile, '4')
    await until(isEmpty)
    await relay.stop()
    expect(await contents(topic, 4)).toEqual(['1', '2', '3', '4'])
  })

  it('keeps the rows when they cannot be sent, and sends them later', async () => {
    const topic = await freshTopic()
    await put(topic, randomUUID(), 'patient')
    const nowhere = connectProducer({ brokers: ['127.0.0.1:1'], timeoutMs: 200 })
    const stopped = runOutboxRelay({ postgres: database.pool, producer: nowhere, idleMs: 1, maxElapsedMs: 1 })
    await expect(stopped.done).rejects.toThrow('kafka is not available')
    await nowhere.close()
    expect(await isEmpty()).toBe(false)

    const relay = runOutboxRelay({ postgres: database.pool, producer, idleMs: 10 })
    await until(isEmpty)
    await relay.stop()
    expect(await contents(topic, 1)).toEqual(['patient'])
  })

  it('keeps the order within a key when two relays run', async () => {
    const topic = await freshTopic(1)
    const profile = randomUUID()
    const numbers = Array.from({ length: 60 }, (_, n) => String(n))
    for (const n of numbers) await put(topic, profile, n)
    const relays = [1, 2].map(() => runOutboxRelay({ postgres: database.pool, producer, idleMs: 1, batchSize: 5 }))
    await until(isEmpty)
    await Promise.all(relays.map((relay) => relay.stop()))
    expect(await contents(topic, 60)).toEqual(numbers)
  })
})
