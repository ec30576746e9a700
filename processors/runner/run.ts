import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { codeOf, nameOf } from '../../infra/error-code.ts'
import { type Batch, type ConsumedMessage, connectConsumer } from '../../infra/kafka/consumer.ts'
import type { Producer } from '../../infra/kafka/producer.ts'
import { type Codec, ownCodec } from '../../schemas/codec.ts'
import { groupOf, topics } from '../../schemas/topics.ts'
import { type PipelineMetrics, watchLag } from './metrics.ts'
import { type Message, type Outcome, ok, type Pipeline, reject, versionOf } from './pipeline.ts'

export interface RunDeps {
  brokers: string[]
  /** Sends what is rejected. */
  producer: Producer
  /** Makes the bytes of a rejected message unreadable to whoever reads the topic. */
  seal: (bytes: Buffer) => Buffer
  codec?: Codec | undefined
  logger?: Logger | undefined
  metrics?: PipelineMetrics | undefined
  maxMessages?: number | undefined
  maxWaitMs?: number | undefined
  /** How long after a batch of steady traffic the next one is taken, unless it is full before. */
  restMs?: number | undefined
  /** A batch that fails is tried again, ever later, until one of the limits; then the pipeline stops loudly. */
  retry?: { firstMs?: number; longestMs?: number; maxAttempts?: number; maxElapsedMs?: number } | undefined
}

export interface Running {
  /** Rejects when a pipeline could not go on: let the process end, so that its supervisor starts it again. */
  done: Promise<void>
  /** Finishes the batches under way, or leaves them uncommitted, and leaves the groups. */
  stop(): Promise<void>
}

interface Row {
  raw: ConsumedMessage
  message: Message<unknown>
  profileId: string | null
  outcome: Outcome<unknown>
}

/** A batch and what its steps made of it, if that was begun before its turn. */
interface Taken {
  batch: Batch
  ahead?: Promise<Row[]>
}

export function run(pipelines: Pipeline[], deps: RunDeps): Running {
  const stopping = new AbortController()
  const running = pipelines.map((pipeline) => runOne(pipeline, deps, stopping.signal))
  // One that fails takes the others down: a half-running process would look alive.
  for (const one of running) one.catch(() => stopping.abort())
  const groups = pipelines.map(({ name, topic }) => ({ group: groupOf(name), topic: topic.name }))
  const lag = deps.metrics && watchLag(deps.brokers, groups, deps.metrics)
  const done = Promise.allSettled(running).then(async (results) => {
    await lag?.stop()
    for (const result of results) if (result.status === 'rejected') throw result.reason
  })
  done.catch(() => {})
  return {
    done,
    stop: async () => {
      stopping.abort()
      await done.catch(() => {})
    },
  }
}

async function runOne(pipeline: Pipeline, deps: RunDeps, stopping: AbortSignal): Promise<void> {
  const { brokers, logger, maxMessages, maxWaitMs, restMs = 400, retry } = deps
  const group = groupOf(pipeline.name)
  const maxDownMs = retry?.maxElapsedMs
  const consumer = connectConsumer({
    brokers,
    group,
    topics: [pipeline.topic.name],
    maxMessages,
    maxWaitMs,
    maxDownMs,
    logger,
  })
  stopping.addEventListener('abort', () => consumer.finish())
  if (stopping.aborted) consumer.finish()
  try {
    const take = async (): Promise<Taken | undefined> => {
      const batch = await consumer.next()
      return batch && { batch }
    }
    const takeAhead = async (until: AbortSignal): Promise<Taken | undefined> => {
      const batch = await consumer.nextFull(until)
      if (!batch) return undefined
      const ahead = prepare(pipeline, batch.messages, deps)
      // Whoever awaits it hears of a failure; until then nobody does.
      ahead.catch(() => {})
      return { batch, ahead }
    }
    // Steps only read, so those of a full batch run while the one before it is stored. Sinks and commits keep their order.
    for (let taken = await take(); taken; ) {
      const stored = new AbortController()
      const next = takeAhead(stored.signal)
      const rested = restAfter(taken.batch, restMs, stopping)
      try {
        await insist(pipeline, taken, deps, stopping)
        await Promise.race([rested, next])
      } finally {
        stored.abort()
      }
      taken = (await next) ?? (await take())
    }
  } finally {
    await consumer.close()
  }
}

const steadyMessages = 20

/** What a store costs hardly grows with its rows: in steady traffic fewer and larger ones leave more for everybody else. */
const restAfter = async ({ messages }: Batch, ms: number, stopping: AbortSignal): Promise<void> => {
  if (messages.length >= steadyMessages) await sleep(ms, undefined, { signal: stopping }).catch(() => {})
}

/** Tries a batch until it is committed, revoked, or given up with the whole pipeline; never skips one. */
async function insist(
  pipeline: Pipeline,
  { batch, ahead }: Taken,
  deps: RunDeps,
  stopping: AbortSignal,
): Promise<void> {
  const {
    firstMs = 200,
    longestMs = 30_000,
    maxAttempts = Number.POSITIVE_INFINITY,
    maxElapsedMs = 600_000,
  } = deps.retry ?? {}
  const began = performance.now()
  // What was taken ahead may have lost its turn meanwhile.
  if (stopping.aborted || batch.isRevoked()) return
  for (let attempt = 1; ; attempt++) {
    try {
      const rows = await ((attempt === 1 && ahead) || prepare(pipeline, batch.messages, deps))
      await store(pipeline, rows, deps)
      if (!(await batch.commit())) return
      for (const alike of Map.groupBy(rows, ({ outcome }) => `${outcome.kind} ${reasonOf(outcome)}`).values()) {
        const [{ outcome }] = alike as [Row]
        deps.metrics?.outcome(pipeline.name, outcome.kind, reasonOf(outcome), alike.length)
      }
      deps.metrics?.batch(pipeline.name, rows.length, (performance.now() - began) / 1000)
      return
    } catch (error) {
      const elapsedMs = Math.round(performance.now() - began)
      const isLast = attempt >= maxAttempts || elapsedMs >= maxElapsedMs
      const facts = { pipeline: pipeline.name, attempt, elapsedMs, errorName: nameOf(error), code: codeOf(error) }
      deps.logger?.error(
        facts,
        isLast ? 'batch failed for the last time: stopping the pipeline' : 'batch failed: trying again',
      )
      if (isLast) throw error
      deps.metrics?.retry(pipeline.name, facts.code)
      const delayMs = Math.min(longestMs, firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
      await sleep(delayMs, undefined, { signal: stopping }).catch(() => {})
    }
    if (stopping.aborted || batch.isRevoked()) return
  }
}

/** Decodes and goes step by step; every message ends with one outcome. Leaves nothing behind. */
async function prepare(pipeline: Pipeline, raws: ConsumedMessage[], deps: RunDeps): Promise<Row[]> {
  const codec = deps.codec ?? ownCodec
  const rows = raws.map((raw): Row => {
    const decoded = codec.decode(pipeline.topic, raw.value)
    if (decoded.kind === 'undecodable') {
      return { raw, message: messageOf(raw, undefined), profileId: null, outcome: reject('undecodable') }
    }
    const { value } = decoded
    const { profile_id } = value as { profile_id?: unknown }
    const profileId = typeof profile_id === 'string' ? profile_id : null
    return { raw, message: messageOf(raw, value), profileId, outcome: ok(value) }
  })
  for (const step of pipeline.steps) {
    const alive = rows.filter(isAlive)
    if (alive.length === 0) break
    const outcomes = await step.run(alive.map(({ message }) => message))
    if (outcomes.length !== alive.length) throw new Error(`step ${step.name} must answer every message of its batch`)
    for (const [index, row] of alive.entries()) {
      const outcome = outcomes[index]!
      row.outcome = outcome
      if (outcome.kind === 'ok') row.message.value = outcome.value
    }
  }
  return rows
}

const reasonOf = (outcome: Outcome<unknown>) => (outcome.kind === 'ok' ? '' : outcome.why)

const isAlive = ({ outcome }: Row) => outcome.kind === 'ok'

/** The sinks, then what was rejected. */
async function store(pipeline: Pipeline, rows: Row[], deps: RunDeps): Promise<void> {
  const messages = rows.filter(isAlive).map(({ message }) => message)
  if (messages.length > 0) for (const sink of pipeline.sinks) await sink(messages)
  await sendRejected(rows, deps)
}

function messageOf({ topic, partition, offset, timestamp, key }: ConsumedMessage, value: unknown): Message<unknown> {
  const version = versionOf(timestamp, offset)
  return { topic, partition, offset, timestamp, key: key?.toString() ?? '', version, value }
}

async function sendRejected(rows: Row[], deps: RunDeps): Promise<void> {
  const rejected = rows.flatMap(({ raw, profileId, outcome }) =>
    outcome.kind !== 'reject'
      ? []
      : {
          topic: raw.topic,
          partition: raw.partition,
          offset: Number(raw.offset),
          reason: outcome.why,
          profile_id: profileId,
          rejected_at: Date.now(),
          key: raw.key?.toString() ?? null,
          sealed: deps.seal(raw.value ?? Buffer.alloc(0)),
        },
  )
  if (rejected.length > 0) await deps.producer.send(topics.rejected, rejected)
}
