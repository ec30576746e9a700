import { setTimeout as sleep } from 'node:timers/promises'
import { Producer as KafkaProducer } from '@platformatic/kafka'
import type { Logger } from 'pino'
import { type Codec, ownCodec } from '../../schemas/codec.ts'
import type { Topic } from '../../schemas/topics.ts'
import { codeOf } from '../error-code.ts'
import { EngineUnavailable } from '../unavailable.ts'
import { partitionByKey } from './partition-by-key.ts'
import { type RawRecord, sendQueue } from './send-queue.ts'

export type { RawRecord } from './send-queue.ts'

export interface Producer {
  /** Resolves when all replicas in sync have all messages; rejects with EngineUnavailable after about two seconds. */
  send<Value>(topic: Topic<Value>, values: readonly Value[]): Promise<void>
  /** The same for records that are encoded already. */
  sendRaw(records: readonly RawRecord[]): Promise<void>
  /** Waits for what was accepted, at most as long as a send may take. */
  close(): Promise<void>
}

export interface ProducerOptions {
  brokers: string[]
  logger?: Logger | undefined
  codec?: Codec | undefined
  /** Records that may wait or be under way; more are refused at once. */
  maxQueued?: number | undefined
  timeoutMs?: number | undefined
}

/** A send that is still under way after this long is given up with its connection, so that nothing is ever stuck. */
const stuckMs = 15_000

/**
 * Idempotent, with one send under way at a time: several at once end in "out of order sequence number".
 * A caller whose messages were not acknowledged in time is told so; they may still arrive, and sinks are idempotent.
 */
export function connectProducer(options: ProducerOptions): Producer {
  const { brokers, logger, codec = ownCodec, maxQueued = 20_000, timeoutMs = 1700 } = options
  const connect = () => {
    const client = new KafkaProducer({
      clientId: 'touchline-producer',
      bootstrapBrokers: brokers,
      idempotent: true,
      partitioner: partitionByKey,
      connectTimeout: 1000,
      requestTimeout: 5000,
      retries: 10,
      retryDelay: 150,
      strict: false,
    })
    // A lost connection shows in the send that needed it; without a listener it would end the process.
    client.on('error', () => {})
    return client
  }
  let client = connect()

  // What an old connection may still send must not come after newer messages with the same key.
  const reconnect = async () => {
    await Promise.race([client.close(true), sleep(1000)]).catch(() => {})
    client = connect()
  }
  let connected = Promise.resolve()

  const deliver = async (records: readonly RawRecord[]): Promise<void> => {
    await connected
    const messages = records.map(({ topic, key, value }) => ({ topic, key: Buffer.from(key), value }))
    const { promise: stuck, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('no answer')), stuckMs).unref()
    try {
      await Promise.race([client.send({ messages }), stuck])
    } catch (error) {
      logger?.error({ engine: 'kafka', code: codeOf(error), records: messages.length }, 'send failed')
      connected = reconnect()
      throw new EngineUnavailable('kafka', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
  const queue = sendQueue(deliver, { maxQueued, timeoutMs })

  return {
    send: (topic, values) =>
      queue.add(
        values.map((value) => ({ topic: topic.name, key: topic.key(value), value: codec.encode(topic, value) })),
      ),
    sendRaw: queue.add,
    close: async () => {
      await queue.close()
      await Promise.race([client.close(true), sleep(1000, undefined, { ref: false })]).catch(() => {})
    },
  }
}
