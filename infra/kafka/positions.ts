import type { Consumer } from '@platformatic/kafka'
import type { Logger } from 'pino'

export interface ConsumedMessage {
  topic: string
  partition: number
  offset: bigint
  /** LogAppendTime in epoch milliseconds. */
  timestamp: bigint
  key: Buffer | null
  value: Buffer | null
}

/** The offset to fetch next, by `topic:partition`. */
export type Positions = Map<string, bigint>

type FetchResponse = Awaited<ReturnType<Consumer['fetch']>>

const logAppendTime = 0x08
const control = 0x20
const earliest = -2n

/** Where the group has committed; else, or where that is no longer kept, the first message that is. */
export async function startingPositions(consumer: Consumer, logger?: Logger): Promise<Positions> {
  const assigned = (consumer.assignments ?? []).filter(({ partitions }) => partitions.length > 0)
  const positions: Positions = new Map()
  if (assigned.length === 0) return positions
  const names = assigned.map(({ topic }) => topic)
  const [first, committed] = await Promise.all([
    consumer.listOffsets({ topics: names, timestamp: earliest }),
    consumer.listCommittedOffsets({ topics: assigned }),
  ])
  const end = await consumer.listOffsets({ topics: names })
  for (const { topic, partitions } of assigned) {
    for (const partition of partitions) {
      const start = first.get(topic)![partition]!
      const at = committed.get(topic)?.[partition] ?? -1n
      const isKept = at >= start && at <= end.get(topic)![partition]!
      if (at >= 0n && !isKept)
        logger?.error({ group: consumer.groupId, topic, partition }, 'committed offset is not kept: starting over')
      positions.set(`${topic}:${partition}`, isKept ? at : start)
    }
  }
  return positions
}

/** The messages of an answer, in order; moves the positions past them. */
export function* messagesOf(
  response: FetchResponse,
  names: Map<string, string>,
  positions: Positions,
): Generator<ConsumedMessage> {
  for (const { topicId, partitions } of response.responses) {
    const topic = names.get(topicId)!
    for (const { partitionIndex: partition, records } of partitions) {
      const key = `${topic}:${partition}`
      for (const batch of records ?? []) {
        const from = positions.get(key)
        if (from === undefined) continue
        positions.set(key, batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n)
        if (batch.attributes & control) continue
        for (const record of batch.records) {
          const offset = batch.firstOffset + BigInt(record.offsetDelta)
          // A broker answers with whole batches, from before the offset that was asked for.
          if (offset < from) continue
          const timestamp =
            batch.attributes & logAppendTime ? batch.maxTimestamp : batch.firstTimestamp + record.timestampDelta
          yield { topic, partition, offset, timestamp, key: record.key, value: record.value }
        }
      }
    }
  }
}
