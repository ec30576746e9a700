import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Warehouse } from '../../clickhouse/client.ts'
import type { Offsets, PartitionLag } from '../../infra/kafka/admin.ts'
import { erasedSince } from '../../postgres/stores/erased-payers.ts'
import type { IdentityStore } from '../../postgres/stores/identity.ts'
import { groupOf, rawTopics, topics } from '../../schemas/topics.ts'
import type { FactDeps } from '../facts/deps.ts'
import { rawPipelines } from '../raw-pipelines.ts'
import { each, ok, type Pipeline, pipeline, skip } from '../runner/pipeline.ts'
import { run } from '../runner/run.ts'
import type { ReplayDeps } from './deps.ts'
import { collectMarks, type MarkCollector } from './marks.ts'

export interface FeedProgress {
  done: number
  remaining: number
}

/** The raw topics on their way into a generation of the warehouse, as consumer groups of the replay's own. */
export interface Feed {
  marks: MarkCollector
  /** Returns when everything that is in the topics now has been stored. */
  reachEnds(onProgress: (progress: FeedProgress) => void): Promise<void>
  stop(): Promise<void>
}

export interface FeedOptions {
  warehouse: Warehouse
  /** Names the groups; the same name goes on where it was. */
  name: string
  /** Only this profile's messages, and those that concern everybody. */
  profile?: string | null | undefined
  /** Also collects the marks that live processing makes, from the end of their topic as it is at the start. */
  followsLive?: boolean | undefined
}

const lookMs = 200

/** Postgres owns identity and has it already: a replay tells it nothing. */
const knownIdentity: IdentityStore = {
  observe: async () => {},
  publishChanges: async () => 0,
  survivor: async () => null,
}

/** Nor does it find a stage that live processing has not recorded, or will. */
const knownStages: FactDeps['stages'] = { observe: async () => {} }

/** Nor has it an erasure to finish: live processing had the same payments. Whom they stayed with since it must know. */
const knownPayers = (postgres: pg.Pool): FactDeps['erasedPayers'] => ({
  among: async () => new Map(),
  since: (subjects) => erasedSince(postgres, subjects),
  forgetSubjectRefs: async () => {},
})

/** The groups of a replay, one a raw topic. */
export const feedGroups = (name: string): { group: string; topic: string }[] =>
  rawTopics.map((topic) => feedGroup(name, topic.name))

/** The group that follows live marks. */
export const liveMarksGroup = (name: string) => feedGroup(name, topics.dirtyCustomers.name)

const feedGroup = (name: string, topic: string) => ({ group: groupOf(feedName(name, topic)), topic })

const feedName = (name: string, topic: string) => `replay-${name}-${topic}`

export async function startFeed(deps: ReplayDeps, options: FeedOptions): Promise<Feed> {
  const { warehouse, name, profile, followsLive } = options
  const { brokers, postgres, admin, codec, vault, logger, signal } = deps
  const marks = collectMarks()
  const facts: FactDeps = {
    warehouse,
    vault,
    identity: knownIdentity,
    stages: knownStages,
    erasedPayers: knownPayers(postgres),
    producer: marks.producer,
  }
  const liveMarks = pipeline(topics.dirtyCustomers).sink((batch) =>
    marks.producer.send(
      topics.dirtyCustomers,
      batch.map(({ value }) => value),
    ),
  )
  if (followsLive) await beginAtEnd(deps, liveMarks.topic.name, liveMarksGroup(name).group)
  const pipelines = [...rawPipelines(facts), ...(followsLive ? [liveMarks] : [])].map((pipeline) => ({
    ...only(pipeline, profile),
    name: feedName(name, pipeline.topic.name),
  }))
  const groups = pipelines.map((pipeline) => ({ group: groupOf(pipeline.name), topic: pipeline.topic.name }))
  let done = 0
  const running = run(pipelines, {
    brokers,
    codec,
    logger,
    // What live processing rejected stands in `rejected` already; the collector drops it.
    producer: marks.producer,
    seal: () => Buffer.alloc(0),
    maxMessages: 5000,
    maxWaitMs: 20,
    metrics: {
      batch: (_, messages) => {
        done += messages
      },
      outcome: () => {},
      retry: () => {},
      lag: () => {},
    },
  })
  let failure: unknown
  running.done.catch((error) => {
    failure = error
  })

  return {
    marks,
    reachEnds: async (onProgress) => {
      const ends = await admin.endOffsets(groups.map(({ topic }) => topic))
      for (;;) {
        signal.throwIfAborted()
        if (failure) throw failure
        const lags = await admin.lag(groups)
        onProgress({ done, remaining: lags.reduce((sum, { lag }) => sum + Number(lag), 0) })
        if (lags.every((lag) => lag.committed >= endOf(ends, lag))) return
        await sleep(lookMs, undefined, { signal })
      }
    },
    stop: () => running.stop(),
  }
}

async function beginAtEnd({ admin }: ReplayDeps, topic: string, group: string): Promise<void> {
  const committed = await admin.committedOffsets(group, topic)
  if (committed.size === 0) await admin.moveGroup(group, topic, (await admin.endOffsets([topic])).get(topic)!)
}

const endOf = (ends: Offsets, { topic, partition }: PartitionLag) => ends.get(topic)?.get(partition) ?? 0n

function only(pipeline: Pipeline, profile: string | null | undefined): Pipeline {
  if (!profile) return pipeline
  const own = each<unknown, unknown>(({ value }) => {
    const { profile_id = profile } = value as { profile_id?: string }
    return profile_id === profile ? ok(value) : skip('other_profile')
  })
  return { ...pipeline, steps: [{ name: 'profile', run: own }, ...pipeline.steps] }
}
