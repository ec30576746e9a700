import { Admin as KafkaAdmin } from '@platformatic/kafka'
import { type Topic, topics } from '../../schemas/topics.ts'

/** Offsets by topic and partition; of partitions that have one. */
export type Offsets = Map<string, Map<number, bigint>>

export interface PartitionLag {
  group: string
  topic: string
  partition: number
  end: bigint
  committed: bigint
  lag: bigint
}

export interface Admin {
  /** Creates the topics that are missing; what exists is left as it is. Returns the names of the new ones. */
  createTopics(wanted?: Topic<never>[]): Promise<string[]>
  topicNames(): Promise<string[]>
  /** The offset after the last message of each partition. */
  endOffsets(names: string[]): Promise<Offsets>
  /** The offset that comes next for each partition of the topic that the group ever committed. */
  committedOffsets(group: string, topic: string): Promise<Map<number, bigint>>
  lag(groups: { group: string; topic: string }[]): Promise<PartitionLag[]>
  /** The first offset of each partition whose message was appended at this time or later; the end where none was. */
  offsetsAt(names: string[], epochMs: number): Promise<Offsets>
  /** When the newest message of the topic was appended, in the broker's time; 0 when it holds none. */
  newestTimestamp(topic: string): Promise<bigint>
  /** Moves a group that has no member. */
  moveGroup(group: string, topic: string, offsets: Map<number, bigint>): Promise<void>
  /** Forgets groups that have no member; one that is not there is no failure. */
  deleteGroups(groups: string[]): Promise<void>
  close(): Promise<void>
}

const endTimestamp = -1n
const startTimestamp = -2n
const newestTimestamp = -3n

export function connectAdmin({ brokers, timeoutMs = 5000 }: { brokers: string[]; timeoutMs?: number }): Admin {
  const client = new KafkaAdmin({
    clientId: 'touchline-admin',
    bootstrapBrokers: brokers,
    connectTimeout: 1000,
    requestTimeout: timeoutMs,
    retries: 3,
    retryDelay: 200,
  })
  client.on('error', () => {})

  const list = async (names: string[], timestamp: bigint) => {
    if (names.length === 0) return []
    const metadata = await client.metadata({ topics: names, forceUpdate: true })
    return client.listOffsets({
      topics: names.map((name) => ({
        name,
        partitions: metadata.topics.get(name)!.partitions.map((_, partitionIndex) => ({ partitionIndex, timestamp })),
      })),
    })
  }
  const listOffsets = async (names: string[], timestamp: bigint): Promise<Offsets> =>
    new Map(
      (await list(names, timestamp)).map(({ name, partitions }) => [
        name,
        new Map(partitions.map((p) => [p.partitionIndex, p.offset])),
      ]),
    )
  const endOffsets = (names: string[]) => listOffsets(names, endTimestamp)

  const committedOffsets = async (group: string, topic: string) => {
    const metadata = await client.metadata({ topics: [topic] })
    const partitionIndexes = metadata.topics.get(topic)!.partitions.map((_, index) => index)
    const [found] = await client.listConsumerGroupOffsets({
      groups: [{ groupId: group, topics: [{ name: topic, partitionIndexes }] }],
    })
    const partitions = found?.topics.find(({ name }) => name === topic)?.partitions ?? []
    return new Map(partitions.filter((p) => p.committedOffset >= 0n).map((p) => [p.partitionIndex, p.committedOffset]))
  }

  return {
    createTopics: async (wanted = Object.values(topics) as Topic<never>[]) => {
      const [existing, metadata] = await Promise.all([client.listTopics(), client.metadata({ topics: [] })])
      const replicas = Math.min(3, metadata.brokers.size)
      const created: string[] = []
      for (const topic of wanted.filter(({ name }) => !existing.includes(name))) {
        try {
          await client.createTopics({
            topics: [topic.name],
            partitions: topic.partitions,
            replicas,
            configs: [
              { name: 'retention.ms', value: String(topic.retentionMs) },
              { name: 'message.timestamp.type', value: 'LogAppendTime' },
              { name: 'min.insync.replicas', value: String(Math.max(1, replicas - 1)) },
            ],
          })
          created.push(topic.name)
        } catch (error) {
          if (!failedWith(error, 'TOPIC_ALREADY_EXISTS')) throw error
        }
      }
      return created
    },
    topicNames: () => client.listTopics(),
    endOffsets,
    committedOffsets,
    lag: async (groups) => {
      const names = [...new Set(groups.map(({ topic }) => topic))]
      const [ends, starts] = await Promise.all([endOffsets(names), listOffsets(names, startTimestamp)])
      const lags = await Promise.all(
        groups.map(async ({ group, topic }) => {
          const committed = await committedOffsets(group, topic)
          return [...ends.get(topic)!].map(([partition, end]): PartitionLag => {
            // A group that never committed begins at the first message that is still kept.
            const at = committed.get(partition) ?? starts.get(topic)!.get(partition)!
            return { group, topic, partition, end, committed: at, lag: end > at ? end - at : 0n }
          })
        }),
      )
      return lags.flat()
    },
    offsetsAt: async (names, epochMs) => {
      const [found, ends] = await Promise.all([listOffsets(names, BigInt(epochMs)), endOffsets(names)])
      for (const [name, partitions] of found) {
        for (const [partition, at] of partitions)
          if (at < 0n) partitions.set(partition, ends.get(name)!.get(partition)!)
      }
      return found
    },
    newestTimestamp: async (topic) => {
      const [found] = await list([topic], newestTimestamp)
      return (found?.partitions ?? []).reduce((newest, p) => (p.timestamp > newest ? p.timestamp : newest), 0n)
    },
    moveGroup: (group, topic, offsets) =>
      client.alterConsumerGroupOffsets({
        groupId: group,
        topics: [{ name: topic, partitionOffsets: [...offsets].map(([partition, offset]) => ({ partition, offset })) }],
      }),
    deleteGroups: async (groups) => {
      for (const group of groups) {
        try {
          await client.deleteGroups({ groups: [group] })
        } catch (error) {
          if (!failedWith(error, 'GROUP_ID_NOT_FOUND')) throw error
        }
      }
    },
    close: () => client.close(),
  }
}

function failedWith(error: unknown, apiId: string): boolean {
  const errors = error instanceof AggregateError ? error.errors : [error]
  return errors.some((e) => e?.apiId === apiId || (e instanceof AggregateError && failedWith(e, apiId)))
}
