import type pg from 'pg'
import type { Logger } from 'pino'
import { type Batch, connectConsumer } from '../infra/kafka/consumer.ts'
import { countRejected } from '../postgres/stores/refusals.ts'
import type { Codec } from '../schemas/codec.ts'
import { groupOf, topics } from '../schemas/topics.ts'
import { poll } from './runner/poll.ts'
import type { Running } from './runner/run.ts'

export interface LedgerDeps {
  brokers: string[]
  postgres: pg.Pool
  codec: Codec
  logger?: Logger | undefined
}

/**
 * Counts rejected messages for the profiles they are of. No pipeline: one that rejects what it reads from `rejected`
 * would feed itself. What cannot be decoded here stands in the topic all the same, and names nobody.
 */
export function runRejectedLedger({ brokers, postgres, codec, logger }: LedgerDeps): Running {
  const consumer = connectConsumer({
    brokers,
    group: groupOf('rejected-ledger'),
    topics: [topics.rejected.name],
    logger,
  })
  let batch: Batch | undefined
  const running = poll({
    name: 'rejected-ledger',
    logger,
    idleMs: 100,
    work: async () => {
      // A batch that could not be counted is counted before the next one is asked for.
      batch ??= await consumer.next()
      if (!batch) return { hasMore: false }
      const byPartition = Map.groupBy(batch.messages, ({ partition }) => partition)
      for (const [partition, messages] of byPartition) {
        const rejected = messages.map(({ offset, value }) => {
          const decoded = codec.decode(topics.rejected, value)
          const { profile_id, topic, reason, rejected_at } =
            decoded.kind === 'ok' ? decoded.value : { profile_id: null, topic: '', reason: '', rejected_at: 0 }
          return { offset, profileId: profile_id, topic, reason, at: rejected_at }
        })
        await countRejected(postgres, { topic: topics.rejected.name, partition }, rejected)
      }
      await batch.commit()
      batch = undefined
      return { hasMore: true }
    },
  })
  return {
    done: running.done,
    stop: async () => {
      consumer.finish()
      await running.stop()
      await consumer.close()
    },
  }
}
