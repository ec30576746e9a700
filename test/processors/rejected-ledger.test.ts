import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { refusalsSince } from '../../postgres/stores/refusals.ts'
import { runRejectedLedger } from '../../processors/rejected-ledger.ts'
import { ownCodec } from '../../schemas/codec.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { brokers, createTopics, until } from '../kafka.ts'
import { createProfile, openPostgres } from '../profiles.ts'

it('counts each rejected message for its profile once, also after a restart', async () => {
  await createTopics([topics.rejected as Topic<never>])
  const pool = await openPostgres()
  const profile = await createProfile(pool)
  const producer = connectProducer({ brokers })
  const reject = (reason: string, profile_id = profile) =>
    producer.send(topics.rejected, [
      {
        topic: 'visits',
        partition: 0,
        offset: Math.floor(Math.random() * 1e9),
        reason,
        profile_id,
        rejected_at: Date.now(),
        key: randomUUID(),
        sealed: Buffer.from('sealed'),
      },
    ])
  const counted = async () =>
    Object.fromEntries((await refusalsSince(pool, profile, 1)).map(({ reason, count }) => [reason, count]))

  await reject('invalid_message')
  await reject('invalid_message', 'no id of a profile')
  await reject('invalid_message', randomUUID())
  await reject('invalid_message')
  const first = runRejectedLedger({ brokers, postgres: pool, codec: ownCodec })
  await until(async () => (await counted()).invalid_message === 2)
  await first.stop()
  await reject('undecodable')
  const second = runRejectedLedger({ brokers, postgres: pool, codec: ownCodec })
  await until(async () => (await counted()).undecodable === 1)
  await second.stop()
  expect(await counted()).toEqual({ invalid_message: 2, undecodable: 1 })
  await producer.close()
  await pool.end()
})
