import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectConsumer } from '../../../infra/kafka/consumer.ts'
import { connectProducer, type Producer } from '../../../infra/kafka/producer.ts'
import { EngineUnavailable } from '../../../infra/unavailable.ts'
import { decode } from '../../../schemas/codec.ts'
import { topics } from '../../../schemas/topics.ts'
import { until } from '../../kafka.ts'
import { type OwnBroker, ownBroker } from '../../own-broker.ts'

let broker: OwnBroker
let producer: Producer
beforeAll(async () => {
  broker = await ownBroker()
  producer = connectProducer({ brokers: broker.brokers })
}, 120_000)
afterAll(async () => {
  await producer.close()
  await broker.end()
})

/** The subjects of everything in dirty-customers that is about one profile, partition by partition. */
async function received(profile: string, isComplete: (found: string[]) => boolean): Promise<string[]> {
  const found: string[] = []
  const name = topics.dirtyCustomers.name
  const consumer = connectConsumer({ brokers: broker.brokers, group: `test-${randomUUID()}`, topics: [name] })
  while (!isComplete(found)) {
    for (const { value } of (await consumer.next())?.messages ?? []) {
      const decoded = decode(topics.dirtyCustomers, value)
      if (decoded.kind === 'ok' && decoded.value.profile_id === profile) found.push(...decoded.value.subject_ids)
    }
  }
  await consumer.close()
  return found
}

const subjects = (count: number) => Array.from({ length: count }, () => randomUUID())
const about = (profile_id: string, ids: string[]) => ids.map((id) => ({ profile_id, subject_ids: [id] }))

describe('the producer', { timeout: 120_000 }, () => {
  it('keeps the order of many calls made at once', async () => {
    const profile = randomUUID()
    const ids = subjects(2000)
    await Promise.all(ids.map((id) => producer.send(topics.dirtyCustomers, about(profile, [id]))))
    expect(await received(profile, (found) => found.length >= ids.length)).toEqual(ids)
  })

  it('sends a call that is larger than one request', async () => {
    const profile = randomUUID()
    const messages = Array.from({ length: 40 }, () => ({ profile_id: profile, subject_ids: subjects(2000) }))
    await producer.send(topics.dirtyCustomers, messages)
    const all = messages.flatMap((message) => message.subject_ids)
    expect(await received(profile, (found) => found.length >= all.length)).toEqual(all)
  })

  it('refuses a message that no broker would take, without harm to others', async () => {
    const huge = { profile_id: randomUUID(), subject_ids: subjects(40_000) }
    const profile = randomUUID()
    const ids = subjects(1)
    const [refused] = await Promise.allSettled([
      producer.send(topics.dirtyCustomers, [huge]),
      producer.send(topics.dirtyCustomers, about(profile, ids)),
    ])
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) })
    expect(await received(profile, (found) => found.length >= 1)).toEqual(ids)
  })

  it('refuses at once what does not fit its queue', async () => {
    const small = connectProducer({ brokers: broker.brokers, maxQueued: 3 })
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map(() => small.send(topics.dirtyCustomers, about(randomUUID(), ['x']))),
    )
    await small.close()
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect(results[3]).toMatchObject({ reason: expect.any(EngineUnavailable) })
  })

  it('finishes what it accepted before it closes', async () => {
    const closing = connectProducer({ brokers: broker.brokers })
    const profile = randomUUID()
    const sent = closing.send(topics.dirtyCustomers, about(profile, ['last words']))
    await closing.close()
    await sent
    await expect(closing.send(topics.dirtyCustomers, about(profile, ['too late']))).rejects.toThrow(EngineUnavailable)
    expect(await received(profile, (found) => found.length >= 1)).toEqual(['last words'])
  })

  it('says that Kafka is away when the broker is killed, and goes on by itself when it is back', async () => {
    const profile = randomUUID()
    const acknowledged: string[] = []
    let refused = 0
    let isRunning = true
    const traffic = (async () => {
      while (isRunning) {
        const ids = subjects(5)
        const results = await Promise.allSettled(
          ids.map((id) => producer.send(topics.dirtyCustomers, about(profile, [id]))),
        )
        for (const [index, result] of results.entries()) {
          if (result.status === 'fulfilled') acknowledged.push(ids[index]!)
          else {
            expect(result.reason).toBeInstanceOf(EngineUnavailable)
            refused++
          }
        }
      }
    })()
    await until(() => acknowledged.length > 50)
    await broker.kill()
    await until(() => refused > 10)
    const before = acknowledged.length
    await broker.start()
    await until(() => acknowledged.length > before + 50)
    isRunning = false
    await traffic

    const found = await received(profile, (all) => all.includes(acknowledged.at(-1)!))
    expect(acknowledged.filter((id) => !found.includes(id))).toEqual([])
    const inOrder = found.filter((id) => acknowledged.includes(id))
    expect(inOrder).toEqual(acknowledged)
  })
})
