import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Batch, type ConsumedMessage, connectConsumer } from '../../infra/kafka/consumer.ts'
import { codeOf, type Producer } from '../../infra/kafka/producer.ts'
import { type Codec, ownCodec } from '../../schemas/codec.ts'
import { topics } from '../../schemas/topics.ts'
import { type PipelineMetrics, watchLag } from './metrics.ts'
import { groupOf, type Message, type Outcome, ok, type Pipeline, reject, versionOf } from './pipeline.ts'

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
  profileId: string | null
  outcome: Outcome<unknown>
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
  const { brokers, logger, maxMessages, maxWaitMs, retry } = deps
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
    for (let batch = await consumer.next(); batch; batch = await consumer.next()) {
      await insist(pipeline, batch, deps, stopping)
    }
  } finally {
    await consumer.close()
  }
}

/** Tries a batch until it is committed, revoked, or given up with the whole pipeline; never skips one. */
async function insist(pipeline: Pipeline, batch: Batch, deps: RunDeps, stopping: AbortSignal): Promise<void> {
  const {
    firstMs = 200,
    longestMs = 30_000,
    maxAttempts = Number.POSITIVE_INFINITY,
    maxElapsedMs = 600_000,
  } = deps.retry ?? {}
  const began = performance.now()
  for (let attempt = 1; ; attempt++) {
    try {
      const rows = await process(pipeline, batch.messages, deps)
      if (!(await batch.commit())) return
      for (const { outcome } of rows) {
        deps.metrics?.outcome(pipeline.name, outcome.kind, outcome.kind === 'ok' ? '' : outcome.why)
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

/** Decode, step by step, then the sinks, then what was rejected; every message ends with one outcome. */
async function process(pipeline: Pipeline, raws: ConsumedMessage[], deps: RunDeps): Promise<Row[]> {
  const codec = deps.codec ?? ownCodec
  const rows = raws.map((raw): Row => {
    const decoded = codec.decode(pipeline.topic, raw.value)
    if (decoded.kind === 'undecodable') return { raw, profileId: null, outcome: reject('undecodable') }
    const { profile_id } = decoded.value as { profile_id?: unknown }
    return { raw, profileId: typeof profile_id === 'string' ? profile_id : null, outcome: ok(decoded.value) }
  })
  for (const step of pipeline.steps) {
    const alive = survivors(rows)
    if (alive.length === 0) break
    const outcomes = await step.run(alive.map(({ message }) => message))
    if (outcomes.length !== alive.length) throw new Error(`step ${step.name} must answer every message of its batch`)
    for (const [index, { row }] of alive.entries()) row.outcome = outcomes[index]!
  }
  const messages = survivors(rows).map(({ message }) => message)
  if (messages.length > 0) for (const sink of pipeline.sinks) await sink(messages)
  await sendRejected(rows, deps)
  return rows
}

function survivors(rows: Row[]): { row: Row; message: Message<unknown> }[] {
  return rows.flatMap((row) => {
    if (row.outcome.kind !== 'ok') return []
    const { topic, partition, offset, timestamp, key } = row.raw
    const version = versionOf(timestamp, offset)
    const message = {
      topic,
      partition,
      offset,
      timestamp,
      key: key?.toString() ?? '',
      version,
      value: row.outcome.value,
    }
    return [{ row, message }]
  })
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

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error)
