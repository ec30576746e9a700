import { randomUUID } from 'node:crypto'
import { loadConfig } from '../infra/config.ts'
import { connectAdmin } from '../infra/kafka/admin.ts'
import { connectConsumer } from '../infra/kafka/consumer.ts'
import { type Codec, ownCodec } from '../schemas/codec.ts'
import type { DirtyCustomers, Rejected } from '../schemas/messages.ts'
import { type Topic, topics } from '../schemas/topics.ts'

// Vitest sets a BASE_URL of its own.
export const config = loadConfig({ ...process.env, BASE_URL: '' })
export const brokers = config.kafkaBrokers

/** A topic nobody else uses, with the schema of dirty-customers: small values with a profile and a list. */
export async function freshTopic(partitions = 2): Promise<Topic<DirtyCustomers>> {
  const topic = { ...topics.dirtyCustomers, name: `test-${randomUUID()}`, partitions }
  await createTopics([topic, topics.rejected])
  return topic
}

export async function createTopics(wanted: Topic<never>[]) {
  const admin = connectAdmin({ brokers })
  await admin.createTopics(wanted)
  await admin.close()
}

/** Our codec, which also knows the fresh topics. */
export const testCodec: Codec = {
  encode: (topic, value) => ownCodec.encode(known(topic), value),
  decode: (topic, bytes) => ownCodec.decode(known(topic), bytes),
}

const known = <Value>(topic: Topic<Value>): Topic<Value> =>
  topic.name.startsWith('test-') ? { ...topic, name: topics.dirtyCustomers.name } : topic

export async function committed(group: string, topic: string): Promise<bigint> {
  const admin = connectAdmin({ brokers })
  const offsets = await admin.committedOffsets(group, topic)
  await admin.close()
  return [...offsets.values()].reduce((sum, offset) => sum + offset, 0n)
}

/** What stands in `rejected` about one topic. */
export async function rejectedOf(topic: string, count: number): Promise<Rejected[]> {
  const found: Rejected[] = []
  const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topics.rejected.name] })
  while (found.length < count) {
    const batch = await consumer.next()
    for (const { value } of batch?.messages ?? []) {
      const decoded = ownCodec.decode(topics.rejected, value)
      if (decoded.kind === 'ok' && decoded.value.topic === topic) found.push(decoded.value)
    }
  }
  await consumer.close()
  return found
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
