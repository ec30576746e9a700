import { setTimeout as sleep } from 'node:timers/promises'
import { compatibilityPartitioner, Producer as KafkaProducer } from '@platformatic/kafka'
import type { Logger } from 'pino'
import { type Codec, ownCodec } from '../../schemas/codec.ts'
import type { Topic } from '../../schemas/topics.ts'
import { EngineUnavailable } from '../unavailable.ts'

export interface RawRecord {
  topic: string
  key: string
  value: Buffer
}

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
  /** How long messages gather before they are sent together. */
  lingerMs?: number | undefined
  /** Records that may wait or be under way; more are refused at once. */
  maxQueued?: number | undefined
  timeoutMs?: number | undefined
}

interface Entry {
  records: readonly RawRecord[]
  bytes: number
  resolve: () => void
  reject: (error: Error) => void
  isSettled: boolean
}

// A broker refuses a record batch above 1 MiB, and all of one send may go to one partition.
const maxSendBytes = 900_000
const recordOverheadBytes = 32
/** A send that is still under way after this long is given up with its connection, so that nothing is ever stuck. */
const stuckMs = 15_000

/**
 * Idempotent, with one send under way at a time: several at once end in "out of order sequence number".
 * A caller whose messages were not acknowledged in time is told so; they may still arrive, and sinks are idempotent.
 */
export function connectProducer(options: ProducerOptions): Producer {
  const { brokers, logger, codec = ownCodec, lingerMs = 4, maxQueued = 20_000, timeoutMs = 1700 } = options
  const connect = () => {
    const client = new KafkaProducer({
      clientId: 'touchline-producer',
      bootstrapBrokers: brokers,
      idempotent: true,
      partitioner: compatibilityPartitioner,
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
  let queue: Entry[] = []
  let queuedRecords = 0
  let pumping: Promise<void> | undefined
  let isClosed = false

  const settle = (entry: Entry, error?: Error) => {
    if (entry.isSettled) return
    entry.isSettled = true
    if (error) entry.reject(error)
    else entry.resolve()
  }

  const takeBatch = (): Entry[] => {
    const batch: Entry[] = []
    let bytes = 0
    while (queue.length > 0 && (batch.length === 0 || bytes + queue[0]!.bytes <= maxSendBytes)) {
      const entry = queue.shift()!
      bytes += entry.bytes
      batch.push(entry)
    }
    return batch
  }

  const sendBatch = async (batch: Entry[]) => {
    const messages = batch.flatMap((entry) =>
      entry.records.map(({ topic, key, value }) => ({ topic, key: Buffer.from(key), value })),
    )
    const giveUp = new AbortController()
    try {
      await Promise.race([
        client.send({ messages }),
        sleep(stuckMs, undefined, { signal: giveUp.signal, ref: false }).then(() => {
          throw new Error('no answer')
        }),
      ])
      for (const entry of batch) settle(entry)
    } catch (error) {
      logger?.error({ engine: 'kafka', code: codeOf(error), records: messages.length }, 'send failed')
      for (const entry of batch) settle(entry, new EngineUnavailable('kafka', { cause: error }))
      // What an old connection may still send must not come after newer messages with the same key.
      await Promise.race([client.close(true), sleep(1000)]).catch(() => {})
      client = connect()
    } finally {
      giveUp.abort()
      queuedRecords -= messages.length
    }
  }

  const pump = async () => {
    await sleep(lingerMs)
    while (queue.length > 0) {
      const batch = takeBatch()
      await sendBatch(batch)
    }
    pumping = undefined
  }

  const enqueue = (records: readonly RawRecord[]): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const bytes = records.reduce((sum, r) => sum + r.key.length + r.value.length + recordOverheadBytes, 0)
    const entry: Entry = { records, bytes, resolve, reject, isSettled: false }
    const timer = setTimeout(() => {
      const waiting = queue.indexOf(entry)
      if (waiting >= 0) {
        queue.splice(waiting, 1)
        queuedRecords -= records.length
      }
      settle(entry, new EngineUnavailable('kafka'))
    }, timeoutMs)
    queue.push(entry)
    queuedRecords += records.length
    pumping ??= pump()
    return promise.finally(() => clearTimeout(timer))
  }

  const sendRaw = async (records: readonly RawRecord[]) => {
    if (isClosed) throw new EngineUnavailable('kafka')
    if (queuedRecords + records.length > maxQueued) throw new EngineUnavailable('kafka')
    await Promise.all(chunks(records).map(enqueue))
  }

  return {
    send: async (topic, values) => {
      await sendRaw(
        values.map((value) => ({ topic: topic.name, key: topic.key(value), value: codec.encode(topic, value) })),
      )
    },
    sendRaw,
    close: async () => {
      isClosed = true
      const deadline = new AbortController()
      await Promise.race([pumping, sleep(timeoutMs, undefined, { signal: deadline.signal }).catch(() => {})])
      deadline.abort()
      queue = []
      await Promise.race([client.close(true), sleep(1000, undefined, { ref: false })]).catch(() => {})
    },
  }
}

/** Splits a large call so that each part fits one send; order is kept. */
function chunks(records: readonly RawRecord[]): RawRecord[][] {
  const parts: RawRecord[][] = []
  let bytes = 0
  for (const record of records) {
    const size = record.key.length + record.value.length + recordOverheadBytes
    if (size > maxSendBytes) throw new RangeError(`a message for ${record.topic} has ${size} bytes: too large`)
    if (parts.length === 0 || bytes + size > maxSendBytes) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)!.push(record)
    bytes += size
  }
  return parts
}

/** What a log may say of an error: its code or name, never its message. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code, apiId } = error as { code?: unknown; apiId?: unknown }
  return typeof apiId === 'string' ? apiId : typeof code === 'string' ? code : error.name
}
