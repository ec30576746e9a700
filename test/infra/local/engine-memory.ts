import { createClient } from '@clickhouse/client'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { Redis } from 'ioredis'
import pg from 'pg'
import { expect } from 'vitest'
import type { Endpoints } from '../../../infra/config.ts'
import type { EngineName } from '../../../infra/local/engine.ts'

/** Writes a word into an engine, or reads the words back. */
export const memory: Record<
  EngineName,
  { write: (at: Endpoints, word: string) => Promise<unknown>; read: (at: Endpoints, word: string) => Promise<boolean> }
> = {
  postgres: {
    write: (at, word) => inPostgres(at, `CREATE TABLE ${word} AS SELECT 1`),
    read: async (at, word) => (await inPostgres(at, `SELECT * FROM ${word}`)).rowCount === 1,
  },
  kafka: {
    write: async (at, word) => {
      const admin = new Admin({ clientId: 'test', bootstrapBrokers: [at.kafka_brokers] })
      await admin.createTopics({ topics: [word], partitions: 1, replicas: 1 })
      await admin.close()
      const producer = new Producer({
        clientId: 'test',
        bootstrapBrokers: [at.kafka_brokers],
        serializers: stringSerializers,
      })
      await producer.send({ messages: [{ topic: word, key: 'k', value: word }] })
      await producer.close()
    },
    read: async (at, word) => {
      const admin = new Admin({ clientId: 'test', bootstrapBrokers: [at.kafka_brokers], retries: 5 })
      try {
        const latest = { name: word, partitions: [{ partitionIndex: 0, timestamp: -1n }] }
        const [topic] = await admin.listOffsets({ topics: [latest] })
        return topic?.partitions[0]?.offset === 1n
      } finally {
        await admin.close()
      }
    },
  },
  clickhouse: {
    write: async (at, word) => {
      const client = createClient({ url: at.clickhouse_url })
      await client.command({ query: `CREATE TABLE ${word} (n UInt8) ENGINE = MergeTree ORDER BY n` })
      await client.insert({ table: word, values: [{ n: 7 }], format: 'JSONEachRow' })
      await client.close()
    },
    read: async (at, word) => {
      const client = createClient({ url: at.clickhouse_url })
      const rows = await (await client.query({ query: `SELECT n FROM ${word}`, format: 'JSONEachRow' })).json()
      await client.close()
      return JSON.stringify(rows) === '[{"n":7}]'
    },
  },
  valkey: {
    write: (at, word) => inValkey(at, (redis) => redis.set(word, 'kept')),
    read: async (at, word) => (await inValkey(at, (redis) => redis.get(word))) === 'kept',
  },
}

async function inPostgres(at: Endpoints, sql: string) {
  const client = new pg.Client({ connectionString: at.database_url })
  await client.connect()
  return client.query(sql).finally(() => client.end())
}

async function inValkey<T>(at: Endpoints, work: (redis: Redis) => Promise<T>) {
  const redis = new Redis(at.redis_url ?? expect.fail('no Valkey'))
  return work(redis).finally(() => redis.disconnect())
}
