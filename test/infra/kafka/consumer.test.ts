import { randomUUID } from 'node:crypto'
import { Producer as PlainProducer } from '@platformatic/kafka'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectAdmin } from '../../../infra/kafka/admin.ts'
import { type Batch, type Consumer, connectConsumer } from '../../../infra/kafka/consumer.ts'
import { connectProducer, type Producer } from '../../../infra/kafka/producer.ts'
import { topics } from '../../../schemas/topics.ts'
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

async function freshTopic(partitions: number): Promise<string> {
  const name = `test-${randomUUID()}`
  const admin = connectAdmin({ brokers: broker.brokers })
  await admin.createTopics([{ ...topics.visits, name, partitions }])
  await admin.close()
  return name
}

const put = (topic: string, values: string[]) =>
  producer.sendRaw(values.map((value) => ({ topic, key: value, value: Buffer.from(value) })))
const texts = (batch: Batch | undefined) => batch!.messages.map(({ value }) => value!.toString())
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n))

describe('the consumer', { timeout: 120_000 }, () => {
  it("stamps messages with the broker's time, whatever the sender said", async () => {
    const topic = await freshTopic(1)
    const plain = new PlainProducer({ clientId: 'test', bootstrapBrokers: broker.brokers })
    const before = BigInt(Date.now())
    await plain.send({
      messages: [{ topic, key: Buffer.from('k'), value: Buffer.from('v'), timestamp: 1000n }],
      acks: -1,
    })
    await plain.close()
    const consumer = connectConsumer({ brokers: broker.brokers, group: topic, topics: [topic] })
    const [message] = (await consumer.next())!.messages
    await consumer.close()
    expect(message!.timestamp).toBeGreaterThanOrEqual(before)
    expect(message).toMatchObject({ topic, partition: 0, offset: 0n })
  })

  it('gives a batch of at most the size asked for and goes on after the committed one', async () => {
    const topic = await freshTopic(1)
    await put(topic, numbers(0, 25))
    const options = { brokers: broker.brokers, group: topic, topics: [topic], maxMessages: 10 }
    const first = connectConsumer(options)
    const batch = await first.next()
    expect(texts(batch)).toEqual(numbers(0, 10))
    expect(await batch!.commit()).toBe(true)
    expect(texts(await first.next())).toEqual(numbers(10, 20))
    await first.close()
    const second = connectConsumer(options)
    expect(texts(await second.next())).toEqual(numbers(10, 20))
    await second.close()
    expect(await second.next()).toBeUndefined()
  })

  it('gives out while another is under way only a batch that is full', async () => {
    const topic = await freshTopic(1)
    await put(topic, numbers(0, 25))
    const consumer = connectConsumer({ brokers: broker.brokers, group: topic, topics: [topic], maxMessages: 10 })
    const first = await consumer.next()
    const until = new AbortController()
    const second = await consumer.nextFull(until.signal)
    expect([texts(first), texts(second)]).toEqual([numbers(0, 10), numbers(10, 20)])
    const third = consumer.nextFull(until.signal)
    until.abort()
    expect(await third).toBeUndefined()
    expect(await first!.commit()).toBe(true)
    expect(await second!.commit()).toBe(true)
    expect(texts(await consumer.next())).toEqual(numbers(20, 25))
    await consumer.close()
    expect(await consumer.nextFull(new AbortController().signal)).toBeUndefined()
  })

  it('gives no more bytes at once than asked for, unless one message alone is larger', async () => {
    const topic = await freshTopic(1)
    const large = 'x'.repeat(30)
    await put(topic, ['a', 'b', 'c', large, 'd'])
    const consumer = connectConsumer({ brokers: broker.brokers, group: topic, topics: [topic], maxBytes: 5 })
    const batches: string[][] = []
    while (batches.flat().length < 5) batches.push(texts(await consumer.next()))
    await consumer.close()
    expect(batches).toEqual([['a', 'b'], ['c'], [large], ['d']])
  })

  it('commits nothing of a batch that a rebalance took away, and loses nothing through it', async () => {
    const topic = await freshTopic(4)
    const all = numbers(0, 400)
    await put(topic, all)
    const options = { brokers: broker.brokers, group: topic, topics: [topic], maxMessages: 50 }
    const processed = new Set<string>()
    const first = connectConsumer(options)
    const held = await first.next()
    const second = connectConsumer(options)
    const take = async (consumer: Consumer) => {
      const batch = await consumer.next()
      if (!batch) return
      for (const text of texts(batch)) processed.add(text)
      await batch.commit()
    }
    await take(second)
    expect(held!.isRevoked()).toBe(true)
    expect(await held!.commit()).toBe(false)

    const both = [first, second].map(async (consumer) => {
      while (processed.size < all.length) await take(consumer)
      consumer.finish()
    })
    await Promise.race(both)
    for (const consumer of [first, second]) consumer.finish()
    await Promise.all(both.map((one) => one.catch(() => {})))
    await Promise.all([first.close(), second.close()])
    expect([...processed].sort()).toEqual([...all].sort())
  })

  it('goes on by itself after the broker was killed and came back', async () => {
    const topic = await freshTopic(2)
    await put(topic, numbers(0, 20))
    const consumer = connectConsumer({ brokers: broker.brokers, group: topic, topics: [topic] })
    const seen = new Set<string>()
    const takeUntil = async (count: number) => {
      while (seen.size < count) {
        const batch = await consumer.next()
        for (const text of texts(batch)) seen.add(text)
        await batch!.commit().catch(() => false)
      }
    }
    await takeUntil(20)
    await broker.kill()
    await broker.start()
    const sender = connectProducer({ brokers: broker.brokers })
    await sender.sendRaw(numbers(20, 40).map((value) => ({ topic, key: value, value: Buffer.from(value) })))
    await sender.close()
    await takeUntil(40)
    await consumer.close()
    expect([...seen].sort()).toEqual(numbers(0, 40).sort())
  })

  it('rejects when the brokers stay away for too long', async () => {
    const consumer = connectConsumer({ brokers: ['127.0.0.1:1'], group: 'none', topics: ['none'], maxDownMs: 10 })
    await expect(consumer.next()).rejects.toThrow()
    await consumer.close()
  })
})
