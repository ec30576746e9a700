import { randomUUID } from 'node:crypto'
import { open } from '../../domain/sealing.ts'
import type { Admin } from '../../infra/kafka/admin.ts'
import { type Batch, connectConsumer } from '../../infra/kafka/consumer.ts'
import type { Producer, RawRecord } from '../../infra/kafka/producer.ts'
import { type Codec, ownCodec } from '../../schemas/codec.ts'
import type { Rejected } from '../../schemas/messages.ts'
import { groupOf, topics } from '../../schemas/topics.ts'

export interface RejectedDeps {
  brokers: string[]
  admin: Admin
  codec?: Codec | undefined
  signal: AbortSignal
}

export interface RejectedCount {
  topic: string
  reason: string
  count: number
  /** How many of them have been sent again. */
  resent: number
}

const topic = topics.rejected.name
const perSend = 500
/** Each reason has a position of its own, so that sending one again does not pass over the others. */
const groupOfReason = (reason: string) => groupOf(`rejected-${reason}`)

/** What stands in `rejected`, by topic and reason. */
export async function countRejected(deps: RejectedDeps): Promise<RejectedCount[]> {
  const counts = new Map<string, RejectedCount>()
  const positions = new Map<string, Map<number, bigint>>()
  for await (const { messages } of batches(deps, groupOf(`rejected-list-${randomUUID()}`))) {
    for (const { partition, offset, value } of messages) {
      const rejected = decode(deps, value)
      if (!rejected) continue
      const { reason } = rejected
      if (!positions.has(reason)) positions.set(reason, await deps.admin.committedOffsets(groupOfReason(reason), topic))
      const key = `${rejected.topic}:${reason}`
      const entry = counts.get(key) ?? { topic: rejected.topic, reason, count: 0, resent: 0 }
      entry.count++
      if (offset < (positions.get(reason)!.get(partition) ?? 0n)) entry.resent++
      counts.set(key, entry)
    }
  }
  return [...counts.values()].sort((a, b) => (`${a.topic}${a.reason}` < `${b.topic}${b.reason}` ? -1 : 1))
}

/**
 * Sends messages that were rejected for a reason to their topics again, each under its own key, and remembers how far
 * it came. A message is sent before that is remembered: a crash in between sends it twice, which sinks do not mind.
 */
export async function resendRejected(
  deps: RejectedDeps & { producer: Producer; key: Buffer; onSent?: (sent: number) => void },
  reason: string,
): Promise<{ sent: number; unreadable: number }> {
  const result = { sent: 0, unreadable: 0 }
  for await (const batch of batches(deps, groupOfReason(reason))) {
    const records = batch.messages.flatMap(({ value }): RawRecord[] => {
      const rejected = decode(deps, value)
      if (rejected?.reason !== reason) return []
      try {
        return [{ topic: rejected.topic, key: rejected.key ?? '', value: open(deps.key, 'rejected', rejected.sealed) }]
      } catch {
        // Sealed under another root secret: nothing can be done for it, and the others must not wait for it.
        result.unreadable++
        return []
      }
    })
    await deps.producer.sendRaw(records)
    await batch.commit()
    result.sent += records.length
    deps.onSent?.(result.sent)
  }
  return result
}

/** From where the group is until all that is there now was seen. */
async function* batches({ brokers, admin, signal }: RejectedDeps, group: string): AsyncGenerator<Batch> {
  const waiting = new Map(
    (await admin.lag([{ group, topic }])).filter(({ lag }) => lag > 0n).map(({ partition, end }) => [partition, end]),
  )
  if (waiting.size === 0) return
  const consumer = connectConsumer({ brokers, group, topics: [topic], maxMessages: perSend })
  const finish = () => consumer.finish()
  signal.addEventListener('abort', finish)
  try {
    for (let batch = await consumer.next(); batch; batch = await consumer.next()) {
      yield batch
      for (const { partition, offset } of batch.messages) {
        if (offset + 1n >= (waiting.get(partition) ?? 0n)) waiting.delete(partition)
      }
      if (waiting.size === 0) return
    }
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', finish)
    await consumer.close()
  }
}

function decode({ codec = ownCodec }: RejectedDeps, value: Buffer | null): Rejected | undefined {
  const decoded = codec.decode(topics.rejected, value)
  return decoded.kind === 'ok' ? decoded.value : undefined
}
