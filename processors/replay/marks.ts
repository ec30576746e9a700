import type { Producer } from '../../infra/kafka/producer.ts'
import type { DirtyCustomers } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'

/** Whose credit may have changed: single subjects, or a whole profile. */
export type Marks = Map<string, Set<string> | 'all'>

export interface MarkCollector {
  /** What the pipelines send to: dirty marks are kept here, everything else a replay says again and is dropped. */
  producer: Producer
  mark(profile: string, subjects: string[] | 'all'): void
  /** What was marked since the last call. A fact is stored before its mark, so it is there for who takes the mark. */
  take(): Marks
}

/** Beyond this many, a profile is derived whole: bounded memory, whatever the traffic. */
const maxSubjects = 50_000

export function collectMarks(): MarkCollector {
  let marks: Marks = new Map()
  const mark: MarkCollector['mark'] = (profile, subjects) => {
    const known = marks.get(profile)
    if (known === 'all') return
    if (subjects === 'all') {
      marks.set(profile, 'all')
      return
    }
    const set = known ?? new Set<string>()
    for (const subject of subjects) set.add(subject)
    marks.set(profile, set.size > maxSubjects ? 'all' : set)
  }
  return {
    mark,
    take: () => {
      const taken = marks
      marks = new Map()
      return taken
    },
    producer: {
      send: async (topic, values) => {
        if (topic.name !== topics.dirtyCustomers.name) return
        for (const { profile_id, subject_ids } of values as unknown as DirtyCustomers[]) {
          mark(profile_id, subject_ids.length === 0 ? 'all' : subject_ids)
        }
      },
      sendRaw: async () => {},
      close: async () => {},
    },
  }
}

export function countMarks(marks: Marks): number {
  let count = 0
  for (const subjects of marks.values()) count += subjects === 'all' ? maxSubjects : subjects.size
  return count
}
