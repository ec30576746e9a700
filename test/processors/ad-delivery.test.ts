import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { adDeliveryPipeline } from '../../processors/ad-delivery.ts'
import { versionOf } from '../../processors/runner/pipeline.ts'
import { ownCodec } from '../../schemas/codec.ts'
import type { AdDelivery } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import { type FreshWarehouse, freshWarehouse } from '../fresh-warehouse.ts'
import { brokers, createTopics } from '../kafka.ts'
import * as samples from '../schemas/samples.ts'

let warehouse: FreshWarehouse
const producer = connectProducer({ brokers })

beforeAll(async () => {
  warehouse = await freshWarehouse()
  await createTopics([topics.dirtyCustomers])
})
afterAll(async () => {
  await producer.close()
  await warehouse.drop()
})

/** A process that takes delivery of one profile in, batch by batch. */
function openProcess(profile: string) {
  const { steps, sinks } = adDeliveryPipeline({ warehouse, producer })
  return async (...days: Partial<AdDelivery>[]) => {
    let batch = days.map((fields, at) => {
      const value: unknown = { ...samples.adDelivery(profile), ...fields }
      const timestamp = BigInt(Date.now())
      const place = { partition: 0, offset: BigInt(at), timestamp, version: versionOf(timestamp, BigInt(at)) }
      return { topic: topics.adDelivery.name, key: 'k', ...place, value }
    })
    for (const { run } of steps) {
      const outcomes = await run(batch)
      batch = batch.flatMap((message, at) => {
        const outcome = outcomes[at]!
        return outcome.kind === 'ok' ? [{ ...message, value: outcome.value }] : []
      })
    }
    for (const sink of sinks) await sink(batch)
  }
}

/** How often attribution was told to look at the whole profile. */
async function timesTold(profile: string): Promise<number> {
  const end = randomUUID()
  await producer.send(topics.dirtyCustomers, [{ profile_id: profile, subject_ids: [end] }])
  const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topics.dirtyCustomers.name] })
  for (let times = 0; ; ) {
    for (const { value } of (await consumer.next())?.messages ?? []) {
      const decoded = ownCodec.decode(topics.dirtyCustomers, value)
      if (decoded.kind !== 'ok' || decoded.value.profile_id !== profile) continue
      if (decoded.value.subject_ids.length === 0) times++
      if (decoded.value.subject_ids[0] !== end) continue
      await consumer.close()
      return times
    }
  }
}

const parentOf = async (profile: string) =>
  (
    await warehouse.rows<{ campaign: string }>(
      `SELECT campaign_external_id AS campaign FROM ad_entities FINAL WHERE profile_id = '${profile}' AND level = 'ad'`,
    )
  )[0]?.campaign

const spring = { campaign_external_id: 'c1', campaign_name: 'Spring' }
const autumn = { campaign_external_id: 'c2', campaign_name: 'Autumn' }

test('attribution hears of an ad that moved, also when an earlier day was told with its new campaign before', async () => {
  const profile = randomUUID()
  const take = openProcess(profile)
  await take({ date: 20_410, ...spring })
  expect(await timesTold(profile)).toBe(1)
  // The earlier day describes nothing: the ad is in Spring, as its newest day says.
  await take({ date: 20_405, ...autumn })
  expect(await parentOf(profile)).toBe('c1')
  const before = await timesTold(profile)
  await take({ date: 20_411, ...autumn })
  expect(await parentOf(profile)).toBe('c2')
  expect(await timesTold(profile)).toBe(before + 1)
})

test('attribution hears of an ad that moved back after another process moved it', async () => {
  const profile = randomUUID()
  const [one, other] = [openProcess(profile), openProcess(profile)]
  await one({ date: 20_410, ...spring })
  await other({ date: 20_411, ...autumn })
  const before = await timesTold(profile)
  await one({ date: 20_412, ...spring })
  expect(await timesTold(profile)).toBe(before + 1)
})

test('attribution is left alone by days that say nothing new of their ad', async () => {
  const profile = randomUUID()
  const take = openProcess(profile)
  await take({ date: 20_410, ...spring })
  await take({ date: 20_411, ...spring }, { date: 20_409, ...spring, ...{ status: 'PAUSED' } })
  await take({ date: 20_411, ...spring, spend_minor: 1 })
  expect(await timesTold(profile)).toBe(1)
})
