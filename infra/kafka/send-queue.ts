import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailable } from '../unavailable.ts'

export interface RawRecord {
  topic: string
  key: string
  value: Buffer
}

interface Call {
  records: readonly RawRecord[]
  bytes: number
  deadline: number
  resolve: () => void
  reject: (error: Error) => void
}

export interface SendQueue {
  add(records: readonly RawRecord[]): Promise<void>
  /** Takes nothing more and waits for what it took, at most as long as a call may take. */
  close(): Promise<void>
}

export interface SendQueueOptions {
  maxQueued: number
  timeoutMs: number
}

// A broker refuses a record batch above 1 MiB, and all of one send may go to one partition.
const maxSendBytes = 900_000
const recordOverheadBytes = 32
/** How late a caller may hear that its time is over: one timer looks after all calls, since one each costs more. */
const sweepMs = 50

/**
 * Calls that wait for one send after the other. Whatever came in during a send goes out with the next, so that sends
 * are as large as the load is high, and a call on its own waits for nobody.
 */
export function sendQueue(
  deliver: (records: readonly RawRecord[]) => Promise<void>,
  { maxQueued, timeoutMs }: SendQueueOptions,
): SendQueue {
  let waiting: Call[] = []
  let underWay: Call[] = []
  let queuedRecords = 0
  let pumping: Promise<void> | undefined
  let sweeper: NodeJS.Timeout | undefined
  let isClosed = false

  const takeBatch = (): Call[] => {
    let bytes = 0
    const end = waiting.findIndex((call, at) => {
      bytes += call.bytes
      return at > 0 && bytes > maxSendBytes
    })
    const batch = end < 0 ? waiting : waiting.slice(0, end)
    waiting = end < 0 ? [] : waiting.slice(end)
    return batch
  }

  const pump = async () => {
    // Everything that this turn of the event loop brings goes together.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      underWay = takeBatch()
      const batch = underWay
      const records = batch.length === 1 ? batch[0]!.records : batch.flatMap((call) => call.records)
      try {
        await deliver(records)
        for (const call of batch) call.resolve()
      } catch (error) {
        for (const call of batch) call.reject(error as Error)
      }
      queuedRecords -= records.length
      underWay = []
    }
    pumping = undefined
  }

  /** Calls are in the order of their deadlines. Settling a call twice does nothing. */
  const sweep = () => {
    const now = performance.now()
    const isLate = (call: Call) => call.deadline <= now
    for (const call of underWay.filter(isLate)) call.reject(new EngineUnavailable('kafka'))
    const end = waiting.findIndex((call) => !isLate(call))
    for (const call of waiting.splice(0, end < 0 ? waiting.length : end)) {
      queuedRecords -= call.records.length
      call.reject(new EngineUnavailable('kafka'))
    }
    sweeper = waiting.length + underWay.length > 0 ? setTimeout(sweep, sweepMs) : undefined
  }

  const enqueue = (records: readonly RawRecord[]): Promise<void> => {
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0)
    queuedRecords += records.length
    return new Promise((resolve, reject) => {
      waiting.push({ records, bytes, deadline: performance.now() + timeoutMs, resolve, reject })
      pumping ??= pump()
      sweeper ??= setTimeout(sweep, sweepMs)
    })
  }

  return {
    async add(records) {
      if (isClosed || queuedRecords + records.length > maxQueued) throw new EngineUnavailable('kafka')
      const parts = chunks(records)
      await (parts.length === 1 ? enqueue(parts[0]!) : Promise.all(parts.map(enqueue)))
    },
    async close() {
      isClosed = true
      const deadline = new AbortController()
      await Promise.race([pumping, sleep(timeoutMs, undefined, { signal: deadline.signal }).catch(() => {})])
      deadline.abort()
      clearTimeout(sweeper)
      for (const call of waiting.splice(0)) call.reject(new EngineUnavailable('kafka'))
    },
  }
}

const sizeOf = ({ key, value }: RawRecord) => key.length + value.length + recordOverheadBytes

/** Splits a large call so that each part fits one send; order is kept. */
function chunks(records: readonly RawRecord[]): (readonly RawRecord[])[] {
  const parts: RawRecord[][] = []
  let bytes = 0
  for (const record of records) {
    const size = sizeOf(record)
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
