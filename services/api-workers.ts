import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { commonCounts, type Told } from '../http/rate-limit.ts'
import type { Config } from '../infra/config.ts'
import type { Logger } from '../infra/logger.ts'
import { claimPort } from './doors.ts'
import { answerWorkers, connectPrimary } from './primary.ts'

/** What one process of the API does together with the others. */
export interface Fellows {
  /** Senders are counted by a hash with this salt, and the counts added up. */
  addresses: { salt: string; exchange: (news: Told[]) => Promise<readonly (number | undefined)[]> }
  /** The metrics of all. */
  readMetrics: () => Promise<string>
}

const pauseMs = 250

/**
 * Processes that share the port: one JavaScript thread takes in less than the machine could. One that ends by itself is
 * replaced; one that cannot even start ends them all, as it would on its own.
 */
export async function keepApiWorkers(config: Config, logger: Logger) {
  const port = await claimPort(config)
  const { promise: done, reject } = Promise.withResolvers<void>()
  const all = new AggregatorRegistry()
  const salt = randomBytes(16).toString('hex')
  let isStopping = false

  const listening = new WeakSet<Worker>()
  const fork = () => keep(cluster.fork({ PORT: port }))
  const keep = (worker: Worker) => {
    worker.once('exit', async (code, signal) => {
      if (isStopping) return
      if (!listening.has(worker)) return reject(new Error(`a process of the API could not start (${signal ?? code})`))
      logger.error({ pid: worker.process.pid, code, signal }, 'a process of the API ended and is replaced')
      await sleep(pauseMs)
      if (!isStopping) fork()
    })
  }
  answerWorkers({
    listening: (_, worker) => listening.add(worker),
    metrics: () => all.clusterMetrics(),
    salt: () => salt,
    addresses: commonCounts(),
  })
  for (let started = 0; started < config.apiWorkers; started++) fork()
  return {
    done,
    stop: async () => {
      isStopping = true
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      await Promise.all(
        workers.map(async (worker) => {
          const exited = once(worker, 'exit')
          worker.process.kill('SIGTERM')
          await exited
        }),
      )
    },
  }
}

/** Undefined for a process that serves alone. */
export async function findFellows(own: Registry): Promise<Fellows | undefined> {
  if (!cluster.isWorker) return undefined
  const ask = connectPrimary()
  // This makes the registry answer when the metrics of all are put together.
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries([own])
  const salt = (await ask<string>('salt')) ?? randomBytes(16).toString('hex')
  return {
    addresses: { salt, exchange: async (news) => (await ask<number[]>('addresses', news)) ?? [] },
    readMetrics: async () => (await ask<string>('metrics')) ?? own.metrics(),
  }
}
