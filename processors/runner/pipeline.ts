import type { Topic } from '../../schemas/topics.ts'
import { allOver } from '../all-over.ts'

/** A message of a topic on its way through a pipeline; the value is what the last step made of it. */
export interface Message<Value> {
  topic: string
  partition: number
  offset: bigint
  /** LogAppendTime in epoch milliseconds. */
  timestamp: bigint
  key: string
  /** (LogAppendTime, offset) as UInt128: a replay writes the same versions. */
  version: bigint
  value: Value
}

/** Why a message goes to `rejected`. Codes, never text from the message: they become metric labels. */
export const rejectReasons = ['undecodable', 'invalid_message', 'broken_seal'] as const
export type RejectReason = (typeof rejectReasons)[number]

export type Outcome<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'skip'; why: string }
  | { kind: 'reject'; why: RejectReason }

export const ok = <T>(value: T): Outcome<T> => ({ kind: 'ok', value })
export const skip = (why: string): Outcome<never> => ({ kind: 'skip', why })
export const reject = (why: RejectReason): Outcome<never> => ({ kind: 'reject', why })

/**
 * One outcome for each message of the batch, in its order; an exception means "try the batch again". It stores nothing and
 * reads nothing that the pipeline's own sinks store: it may run while the batch before it is stored.
 */
export type Step<A, B> = (batch: Message<A>[]) => Outcome<B>[] | Promise<Outcome<B>[]>

/** Resolves when the batch is stored for good. Runs again for the same messages after a failure: idempotent. */
export type Sink<A> = (batch: Message<A>[]) => Promise<void>

/** Lifts a function of one message to a step. */
export const each =
  <A, B>(fn: (message: Message<A>) => Outcome<B>): Step<A, B> =>
  (batch) =>
    batch.map(fn)

/** A sink that stores what all messages of a batch hold of one kind, in one go. */
export const gather =
  <A, Row>(rowsOf: (value: A) => Row[], store: (rows: Row[]) => Promise<void>): Sink<A> =>
  (batch) =>
    store(batch.flatMap(({ value }) => rowsOf(value)))

/** Sinks that do not depend on each other. */
export const together =
  <A>(...sinks: Sink<A>[]): Sink<A> =>
  (batch) =>
    allOver(sinks.map((sink) => sink(batch)))

export interface Pipeline {
  name: string
  topic: Topic<unknown>
  steps: { name: string; run: Step<unknown, unknown> }[]
  sinks: Sink<unknown>[]
}

export interface PipelineBuilder<A> {
  step<B>(name: string, run: Step<A, B>): PipelineBuilder<B>
  /** Sinks run in the order given, after all steps; offsets are committed after the last. */
  sink(...sinks: Sink<A>[]): Pipeline
}

/** A pipeline is one chain over one topic; its consumer group is `touchline-<name>`. */
export function pipeline<Value>(topic: Topic<Value>, name: string = topic.name): PipelineBuilder<Value> {
  const build = <A>(steps: Pipeline['steps']): PipelineBuilder<A> => ({
    step: <B>(stepName: string, run: Step<A, B>) =>
      build<B>([...steps, { name: stepName, run: run as Step<unknown, unknown> }]),
    sink: (...sinks) => ({ name, topic: topic as Topic<unknown>, steps, sinks: sinks as Sink<unknown>[] }),
  })
  return build<Value>([])
}

export const versionOf = (timestamp: bigint, offset: bigint) => (timestamp << 64n) | offset
