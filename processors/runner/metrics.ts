import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { connectAdmin, type PartitionLag } from '../../infra/kafka/admin.ts'

export interface PipelineMetrics {
  batch(pipeline: string, messages: number, seconds: number): void
  outcome(pipeline: string, kind: 'ok' | 'skip' | 'reject', reason: string, count?: number): void
  retry(pipeline: string, code: string): void
  lag(partitions: PartitionLag[]): void
}

/** Labels are names and codes of ours: nothing that a message carries. */
export function pipelineMetrics(registry: Registry): PipelineMetrics {
  const registers = [registry]
  const lag = new Gauge({
    name: 'touchline_consumer_lag',
    help: 'Messages of a partition that a group has not committed yet',
    labelNames: ['group', 'topic', 'partition'],
    registers,
  })
  const size = new Histogram({
    name: 'touchline_batch_messages',
    help: 'Messages in a batch',
    labelNames: ['pipeline'],
    buckets: [1, 10, 50, 100, 250, 500, 1000, 2500, 5000],
    registers,
  })
  const seconds = new Histogram({
    name: 'touchline_batch_seconds',
    help: 'Seconds from the receipt of a batch to its commit',
    labelNames: ['pipeline'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  })
  const outcomes = new Counter({
    name: 'touchline_messages_total',
    help: 'Messages by what became of them',
    labelNames: ['pipeline', 'kind', 'reason'],
    registers,
  })
  const retries = new Counter({
    name: 'touchline_batch_retries_total',
    help: 'Attempts at a batch that failed and were made again',
    labelNames: ['pipeline', 'code'],
    registers,
  })
  return {
    batch: (pipeline, messages, took) => {
      size.observe({ pipeline }, messages)
      seconds.observe({ pipeline }, took)
    },
    outcome: (pipeline, kind, reason, count = 1) => outcomes.inc({ pipeline, kind, reason }, count),
    retry: (pipeline, code) => retries.inc({ pipeline, code }),
    lag: (partitions) => {
      for (const p of partitions) {
        lag.set({ group: p.group, topic: p.topic, partition: String(p.partition) }, Number(p.lag))
      }
    },
  }
}

/** Keeps the lag of the groups in the metrics until it is stopped. */
export function watchLag(brokers: string[], groups: { group: string; topic: string }[], metrics: PipelineMetrics) {
  const admin = connectAdmin({ brokers })
  // A broker that is away shows in the pipelines themselves; the last known lag stays.
  const look = () => void admin.lag(groups).then(metrics.lag, () => {})
  const timer = setInterval(look, 5000)
  look()
  return {
    stop: async () => {
      clearInterval(timer)
      await admin.close().catch(() => {})
    },
  }
}
