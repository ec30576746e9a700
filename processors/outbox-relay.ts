import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { codeOf, type Producer } from '../infra/kafka/producer.ts'
import { transaction } from '../postgres/client.ts'
import { deleteOutbox, takeOutbox } from '../postgres/stores/outbox.ts'
import type { Running } from './runner/run.ts'

export interface RelayDeps {
  postgres: pg.Pool
  producer: Producer
  logger?: Logger | undefined
  idleMs?: number | undefined
  batchSize?: number | undefined
  /** How long it may fail without a break before it stops loudly. */
  maxElapsedMs?: number | undefined
}

/** Sends what the outbox holds and deletes it after the acknowledgement: a crash in between sends it again. */
export function runOutboxRelay(deps: RelayDeps): Running {
  const stopping = new AbortController()
  const done = relay(deps, stopping.signal)
  done.catch(() => {})
  return {
    done,
    stop: async () => {
      stopping.abort()
      await done.catch(() => {})
    },
  }
}

async function relay(deps: RelayDeps, stopping: AbortSignal): Promise<void> {
  const { logger, idleMs = 100, batchSize = 500, maxElapsedMs = 600_000 } = deps
  let failures = 0
  let lastSuccess = performance.now()
  while (!stopping.aborted) {
    try {
      const sent = await sendNext(deps, batchSize)
      failures = 0
      lastSuccess = performance.now()
      if (sent === batchSize) continue
    } catch (error) {
      failures++
      const isLast = performance.now() - lastSuccess > maxElapsedMs
      logger?.error(
        { failures, errorName: error instanceof Error ? error.name : typeof error, code: codeOf(error) },
        isLast ? 'outbox relay keeps failing: stopping' : 'outbox relay failed: trying again',
      )
      if (isLast) throw error
    }
    const delayMs = Math.min(10_000, idleMs * 2 ** Math.min(failures, 10))
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {})
  }
}

function sendNext({ postgres, producer }: RelayDeps, batchSize: number): Promise<number> {
  return transaction(postgres, async (tx) => {
    const rows = await takeOutbox(tx, batchSize)
    if (rows.length === 0) return 0
    await producer.sendRaw(rows)
    await deleteOutbox(
      tx,
      rows.map(({ id }) => id),
    )
    return rows.length
  })
}
