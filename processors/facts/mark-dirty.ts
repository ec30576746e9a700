import type { Producer } from '../../infra/kafka/producer.ts'
import type { DirtyCustomers } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'

export interface DirtySubject {
  profile_id: string
  subject_id: string
}

const subjectsPerMessage = 500

/** Tells attribution whose customers changed; told again after a crash, which costs a recompute and changes nothing. */
export const markDirty =
  (producer: Producer) =>
  async (subjects: DirtySubject[]): Promise<void> => {
    const messages: DirtyCustomers[] = []
    for (const [profile_id, group] of Map.groupBy(subjects, (subject) => subject.profile_id)) {
      const subject_ids = [...new Set(group.map((subject) => subject.subject_id))]
      for (let i = 0; i < subject_ids.length; i += subjectsPerMessage) {
        messages.push({ profile_id, subject_ids: subject_ids.slice(i, i + subjectsPerMessage) })
      }
    }
    if (messages.length > 0) await producer.send(topics.dirtyCustomers, messages)
  }

/** All customers of a profile: a setting or an ad changed that any of them may depend on. */
export const markProfilesDirty =
  (producer: Producer) =>
  async (profiles: string[]): Promise<void> => {
    const messages = [...new Set(profiles)].map((profile_id) => ({ profile_id, subject_ids: [] }))
    if (messages.length > 0) await producer.send(topics.dirtyCustomers, messages)
  }
