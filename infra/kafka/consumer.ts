import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionPool, findErrorBy, Consumer as KafkaConsumer } from '@platformatic/kafka'
import type { Logger } from 'pino'
import { codeOf } from '../error-code.ts'
import { messageBuffer } from './message-buffer.ts'
import { type ConsumedMessage, messagesOf, type Positions, startingPositions } from './positions.ts'

export type { ConsumedMessage } from './positions.ts'

export interface Batch {
  messages: ConsumedMessage[]
  /** Whether a rebalance has taken these messages away: they will be delivered again, to us or to another member. */
  isRevoked(): boolean
  /** Commits all of the batch; false, with nothing committed, when it is revoked. */
  commit(): Promise<boolean>
}

export interface Consumer {
  /** The next messages of all assigned partitions, each partition's in order; undefined once finishing or closed. */
  next(): Promise<Batch | undefined>
  /** The same while another batch is under way: only one that is full, since others may still grow; none once `until`. */
  nextFull(until: AbortSignal): Promise<Batch | undefined>
  /** No further batch is given out; the one under way can still be committed. */
  finish(): void
  /** Leaves the group; what was not committed is delivered again. */
  close(): Promise<void>
}

export interface ConsumerOptions {
  brokers: string[]
  group: string
  topics: string[]
  maxMessages?: number | undefined
  /** What a batch weighs at most, a single larger message apart; the same may wait behind it. */
  maxBytes?: number | undefined
  /** How long the first message of a batch that is not full waits for more. */
  maxWaitMs?: number | undefined
  /** How long the brokers may be away before `next` rejects. */
  maxDownMs?: number | undefined
  sessionTimeoutMs?: number | undefined
  logger?: Logger | undefined
}

interface Membership {
  consumer: KafkaConsumer
  epoch: number | undefined
}

/** What somebody waits for comes at once; what only goes along with messages that are here already comes in a few parts. */
const atOnce = { minBytes: 1, maxWaitTime: 500 }
const unhurried = { minBytes: 65_536, maxWaitTime: 100 }

/**
 * Fetches on its own instead of through the client's stream, for three reasons: the stream stamps messages with
 * the sender's time even where the topic says LogAppendTime; a fetch under way during a rebalance moves its position
 * past messages that were never processed; and it commits again after a rejoin, also for partitions it has lost.
 */
export function connectConsumer(options: ConsumerOptions): Consumer {
  const { brokers, group, topics, logger, maxMessages = 1000, maxBytes = 4_194_304 } = options
  const { maxWaitMs = 50, maxDownMs = 600_000 } = options
  const sessionTimeout = options.sessionTimeoutMs ?? 10_000
  const buffer = messageBuffer({ maxMessages, maxBytes, maxWaitMs })
  let generation = 0
  let isFinishing = false
  let isClosed = false
  let failure: Error | undefined
  let downSince: number | undefined = Date.now()
  let membership: Membership | undefined
  const pendingCommits = new Set<{ offsets: unknown[] }>()
  const changed = signal()
  /** How many wait for a batch. */
  let waiters = 0

  /** Everything fetched or under way belongs to an assignment that is gone. */
  const revoke = (next?: Membership) => {
    generation++
    buffer.clear()
    membership = next
    for (const commit of pendingCommits) commit.offsets.length = 0
    changed.fire()
  }

  const session = async () => {
    const consumer = new KafkaConsumer({
      clientId: group,
      groupId: group,
      bootstrapBrokers: brokers,
      sessionTimeout,
      rebalanceTimeout: Math.max(sessionTimeout, 30_000),
      heartbeatInterval: Math.floor(sessionTimeout / 5),
      connectTimeout: 2000,
      // A join waits for the other members, as long as the rebalance may take.
      requestTimeout: 60_000,
      retries: 5,
      retryDelay: 200,
    })
    // A long poll on the connection of the heartbeats would hold them and every commit up.
    const pool = new ConnectionPool(group, { connectTimeout: 2000 })
    const inflight = new Map<number, Promise<void>>()
    let positions: Positions | undefined
    let broken: Error | undefined
    const fail = (error: Error) => {
      broken ??= error
      changed.fire()
    }
    consumer.on('error', fail)
    consumer.on('consumer:heartbeat:stalled', () => fail(new Error('heartbeats stalled')))
    consumer.on('consumer:group:join', (joined) => {
      positions = undefined
      revoke({ consumer, epoch: joined.generationId })
    })

    const fetch = async (node: number, wanted: { topic: string; topicId: string; partition: number }[]) => {
      const asked = generation
      const from = positions!
      const response = await consumer.fetch({
        node,
        connectionPool: pool,
        ...(waiters === 0 && buffer.dueAt() !== undefined ? unhurried : atOnce),
        maxBytes,
        topics: wanted.map(({ topic, topicId, partition }) => ({
          topicId,
          partitions: [
            {
              partition,
              fetchOffset: from.get(`${topic}:${partition}`)!,
              currentLeaderEpoch: -1,
              lastFetchedEpoch: -1,
              partitionMaxBytes: 1_048_576,
            },
          ],
        })),
      })
      downSince = undefined
      if (asked !== generation) return
      const names = new Map(wanted.map(({ topic, topicId }) => [topicId, topic]))
      buffer.add(messagesOf(response, names, from))
    }

    const startFetches = async () => {
      const asked = generation
      if (!positions) {
        const loaded = await startingPositions(consumer, logger)
        if (asked !== generation) return
        positions = loaded
      }
      const metadata = await consumer.metadata({ topics })
      if (inflight.size === 0) downSince = undefined
      if (asked !== generation) return
      const assigned = (consumer.assignments ?? []).flatMap(({ topic, partitions }) =>
        partitions.map((partition) => {
          const { id, partitions: known } = metadata.topics.get(topic)!
          return { topic, topicId: id, partition, leader: known[partition]!.leader }
        }),
      )
      for (const [node, wanted] of Map.groupBy(assigned, ({ leader }) => leader)) {
        if (inflight.has(node)) continue
        const running = fetch(node, wanted)
          .catch(trouble)
          .finally(() => {
            inflight.delete(node)
            changed.fire()
          })
        inflight.set(node, running)
      }
    }

    /** Brokers that are away are waited for: the membership often survives, and a new one would have to wait for it. */
    const trouble = async (error: unknown) => {
      if (isClosed) return
      logger?.error({ group, code: codeOf(error) }, 'cannot fetch')
      if (findErrorBy(error as Error, 'apiId', 'OFFSET_OUT_OF_RANGE')) {
        positions = undefined
        revoke(membership)
      }
      downSince ??= Date.now()
      if (Date.now() - downSince > maxDownMs) fail(error as Error)
      await sleep(300)
    }

    try {
      consumer.topics.trackAll(...topics)
      await consumer.joinGroup({})
      while (!isClosed && !broken) {
        if (buffer.isFull()) {
          await changed.wait(500)
          continue
        }
        try {
          await startFetches()
          await changed.wait(inflight.size > 0 ? 5000 : 200)
        } catch (error) {
          await trouble(error)
        }
      }
      if (broken) throw broken
    } finally {
      revoke()
      await Promise.race([
        Promise.allSettled([consumer.close(true), pool.close()]),
        sleep(2000, undefined, { ref: false }),
      ])
    }
  }

  const supervise = async () => {
    for (let attempt = 0; !isClosed; attempt++) {
      try {
        await session()
      } catch (error) {
        if (isClosed) return
        logger?.error({ group, code: codeOf(error), attempt }, 'consumer lost its session')
        if (downSince === undefined) attempt = 0
        downSince ??= Date.now()
        if (Date.now() - downSince > maxDownMs) {
          failure = error as Error
          changed.fire()
          return
        }
        await changed.wait(Math.min(5000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2))
      }
    }
  }
  const supervised = supervise()

  const commitOf = (messages: ConsumedMessage[], taken: number) => async (): Promise<boolean> => {
    // The client's epoch runs ahead of ours while it rejoins: what the new assignment gives us is not known yet.
    if (taken !== generation || !membership || membership.consumer.generationId !== membership.epoch) return false
    const next = new Map(
      messages.map(({ topic, partition, offset }) => [
        `${topic}:${partition}`,
        { topic, partition, offset: offset + 1n, leaderEpoch: -1 },
      ]),
    )
    // The client repeats a commit after a rejoin; `revoke` empties this list so that there is nothing to repeat.
    const commit = { offsets: [...next.values()] }
    pendingCommits.add(commit)
    try {
      await membership.consumer.commit(commit)
    } catch (error) {
      if (taken === generation) throw error
    } finally {
      pendingCommits.delete(commit)
    }
    return taken === generation
  }

  const give = (): Batch => {
    const messages = buffer.take()
    const taken = generation
    changed.fire()
    return { messages, isRevoked: () => taken !== generation, commit: commitOf(messages, taken) }
  }

  return {
    nextFull: async (until) => {
      until.addEventListener('abort', changed.fire, { once: true })
      while (!isClosed && !isFinishing && !failure && !until.aborted) {
        if (buffer.isFull()) return give()
        await changed.wait(1000)
      }
      return undefined
    },
    next: async () => {
      waiters++
      try {
        while (!isClosed && !isFinishing) {
          if (failure) throw failure
          const dueAt = buffer.dueAt()
          if (buffer.isFull() || (dueAt !== undefined && Date.now() >= dueAt)) return give()
          await changed.wait(dueAt === undefined ? 1000 : Math.max(1, dueAt - Date.now()))
        }
        return undefined
      } finally {
        waiters--
      }
    },
    finish: () => {
      isFinishing = true
      changed.fire()
    },
    close: async () => {
      isClosed = true
      changed.fire()
      await supervised
    },
  }
}

/** Wakes everybody who waits, or each after its time. */
function signal() {
  let waiting: (() => void)[] = []
  return {
    fire: () => {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}
