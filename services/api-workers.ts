import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ListenOptions } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { commonCounts, type Told } from '../http/rate-limit.ts'
import type { Config } from '../infra/config.ts'
import type { Logger } from '../infra/logger.ts'
import { answerWorkers, connectPrimary, tellPrimary } from './primary.ts'

/** What one process of the API does together with the others. */
export interface Fellows {
  /** Senders are counted by a hash with this salt, and the counts added up. */
  addresses: { salt: string; exchange: (news: Told[]) => Promise<readonly (number | undefined)[]> }
  /** The metrics of all. */
  readMetrics: () => Promise<string>
}

type Address = Pick<Config, 'host' | 'port'>

const pauseMs = 250

// Elsewhere the process that keeps them takes connections in and hands them on: one at a time to each, whenever it is
// free. When all are busy, a thousand new callers wait for seconds.
const hasOwnDoors = process.platform === 'linux'

/**
 * Where a process listens: each of several has a socket of its own on the port, and the system shares new connections
 * out. Callers that come all at once wait at it instead of being turned away, which costs a second until they try again.
 */
export const doorOf = ({ host, port }: Address) =>
  ({ host, port, backlog: 4096, reusePort: cluster.isWorker && hasOwnDoors }) satisfies ListenOptions

/** Sockets that share a port let any other that shares join them: another service's, too, unless somebody looks. */
async function claimPort({ host, port }: Address): Promise<void> {
  const server = createServer().listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** To the process that keeps this one, if there is one. */
export const tellListening = () => tellPrimary('listening')

/**
 * Processes that share the port: one JavaScript thread takes in less than the machine could. One that ends by itself is
 * replaced; one that cannot even start ends them all, as it would on its own.
 */
export async function keepApiWorkers(config: Address & Pick<Config, 'apiWorkers'>, logger: Logger) {
  await claimPort(config)
  const { promise: done, reject } = Promise.withResolvers<void>()
  const all = new AggregatorRegistry()
  const salt = randomBytes(16).toString('hex')
  let isStopping = false

  const listening = new WeakSet<Worker>()
  const keep = (worker: Worker) => {
    worker.once('exit', async (code, signal) => {
      if (isStopping) return
      if (!listening.has(worker)) return reject(new Error(`a process of the API could not start (${signal ?? code})`))
      logger.error({ pid: worker.process.pid, code, signal }, 'a process of the API ended and is replaced')
      await sleep(pauseMs)
      if (!isStopping) keep(cluster.fork())
    })
  }
  answerWorkers({
    listening: (_, worker) => listening.add(worker),
    metrics: () => all.clusterMetrics(),
    salt: () => salt,
    addresses: commonCounts(),
  })
  for (let started = 0; started < config.apiWorkers; started++) keep(cluster.fork())
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
