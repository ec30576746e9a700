import { randomUUID } from 'node:crypto'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { topics } from '../../schemas/topics.ts'
import { type Customers, knowCustomers, someEvents } from '../customers.ts'
import { type Line, ratioAtLeast } from '../line.ts'
import { openProfile } from '../profile.ts'
import type { LoopSettings } from '../programs/bare-loop.ts'

/** Events a second from a filled topic to facts and identities that can be queried. */
export const pipeline: Line = {
  name: 'pipeline',
  figures: [
    {
      name: 'Kafka to facts, few customers',
      unit: 'events/s',
      beside: 'bare consume, decode, insert',
      target: ratioAtLeast(0.5),
    },
    {
      name: 'Kafka to facts, many customers',
      unit: 'events/s',
      beside: 'the same with few',
      target: ratioAtLeast(0.8),
    },
  ],
  async open(stage) {
    const { config, isQuick } = stage
    const count = isQuick ? 40_000 : 160_000
    const [few, many] = [10_000, isQuick ? 50_000 : 1_000_000]
    const database = await stage.database()
    // The same tables without the views that follow ours: what the product derives from a fact is no part of the limit.
    for (const fact of ['hits', 'outcomes']) await database.run(`CREATE TABLE bare_${fact} AS ${fact}`)
    const producer = connectProducer({ brokers: config.kafkaBrokers, maxQueued: 2 * count, timeoutMs: 60_000 })
    const know = async (customers: number) => knowCustomers(stage, (await openProfile(stage)).profileId, customers)
    const [small, large] = [await know(few), await know(many)]
    const group = `bench-${randomUUID()}`

    const fill = async (customers: Customers) => {
      const { visits, events } = someEvents(customers, count)
      await Promise.all([producer.send(topics.visits, visits), producer.send(topics.events, events)])
    }
    const drain = async (file: string) => {
      const { kafkaBrokers: brokers, clickhouseUrl } = config
      const settings: LoopSettings = { brokers, clickhouseUrl, database: database.name, group, count }
      const program = stage.program(file, settings)
      const { seconds } = await program.next<{ seconds: number }>()
      await program.stop()
      return count / seconds
    }
    return {
      async measure() {
        await fill(small)
        const bare = await drain('bare-loop.ts')
        const withFew = await drain('facts.ts')
        await fill(large)
        await drain('bare-loop.ts')
        const withMany = await drain('facts.ts')
        return [
          { value: withFew, limit: bare },
          { value: withMany, limit: withFew },
        ]
      },
      async close() {
        await producer.close()
        await database.close()
      },
    }
  },
}
