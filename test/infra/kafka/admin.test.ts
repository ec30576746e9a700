import { randomUUID } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { connectAdmin } from '../../../infra/kafka/admin.ts'
import { connectProducer } from '../../../infra/kafka/producer.ts'
import { brokers, freshTopic, testCodec } from '../../kafka.ts'

const admin = connectAdmin({ brokers })
const producer = connectProducer({ brokers, codec: testCodec })
afterAll(() => Promise.all([admin.close(), producer.close()]))

const message = () => ({ profile_id: randomUUID(), subject_ids: [] })

it('finds the offsets of a time, and the time of the newest message, by the broker’s clock', async () => {
  const topic = await freshTopic(1)
  expect(await admin.newestTimestamp(topic.name)).toBe(0n)
  await producer.send(topic, [message(), message()])
  const first = await admin.newestTimestamp(topic.name)
  // LogAppendTime counts in milliseconds: the next message must fall into another one.
  await expect.poll(() => Date.now()).toBeGreaterThan(Number(first))
  await producer.send(topic, [message()])
  const second = await admin.newestTimestamp(topic.name)
  expect(second).toBeGreaterThan(first)
  const at = async (time: bigint) => (await admin.offsetsAt([topic.name], Number(time))).get(topic.name)?.get(0)
  expect(await at(first)).toBe(0n)
  expect(await at(first + 1n)).toBe(2n)
  expect(await at(second)).toBe(2n)
  expect(await at(second + 1n)).toBe(3n)
})

it('moves a group and forgets it, also one that is not there', async () => {
  const topic = await freshTopic(2)
  const group = `test-${randomUUID()}`
  await producer.send(topic, [message(), message(), message()])
  const ends = (await admin.endOffsets([topic.name])).get(topic.name)!
  await admin.moveGroup(group, topic.name, ends)
  const lags = async () => (await admin.lag([{ group, topic: topic.name }])).reduce((sum, { lag }) => sum + lag, 0n)
  expect(await lags()).toBe(0n)
  await admin.deleteGroups([group])
  expect(await lags()).toBe(3n)
  await admin.deleteGroups([group])
})
