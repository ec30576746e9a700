import { groupOf, rawTopics, topics } from '../../schemas/topics.ts'
import type { Admin } from './admin.ts'

export interface TopicLag {
  topic: string
  /** Messages that were ever appended, and those that the topic's processor has not committed yet. */
  messages: number
  lag: number
}

/** How far each processor is behind; null while the brokers do not say. */
export type RecentLag = () => Promise<TopicLag[] | null>

const names = [...rawTopics.map(({ name }) => name), topics.dirtyCustomers.name]

/** Asked once in a while for all callers: it is the same for everybody, and brokers have other work. */
export function recentLag(admin: Pick<Admin, 'lag'>, { freshMs = 2_000, patienceMs = 1_500 } = {}): RecentLag {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<TopicLag[] | null> | undefined
  const read = async (): Promise<TopicLag[] | null> => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), patienceMs)
    })
    const asked = admin.lag(names.map((topic) => ({ group: groupOf(topic), topic }))).then(
      (partitions) =>
        names.map((topic) => {
          const own = partitions.filter((partition) => partition.topic === topic)
          const sum = (of: (partition: (typeof own)[number]) => bigint) =>
            Number(own.reduce((total, partition) => total + of(partition), 0n))
          return { topic, messages: sum(({ end }) => end), lag: sum(({ lag }) => lag) }
        }),
      () => null,
    )
    try {
      return await Promise.race([asked, late])
    } finally {
      clearTimeout(timer)
    }
  }
  return () => {
    if (performance.now() - readAt < freshMs && reading) return reading
    readAt = performance.now()
    reading = read()
    return reading
  }
}
