import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { codeOf, nameOf } from '../../infra/error-code.ts'
import type { Running } from './run.ts'

export interface PollOptions {
  name: string
  /** Does what there is to do and says whether more is waiting. Runs again after a failure: idempotent. */
  work: () => Promise<{ hasMore: boolean }>
  logger?: Logger | undefined
  idleMs?: number | undefined
  /** How long it may fail without a break before it stops loudly. */
  maxElapsedMs?: number | undefined
}

/** Work that waits in a table instead of a topic: taken at once while there is some, looked for now and then otherwise. */
export function poll(options: PollOptions): Running {
  const stopping = new AbortController()
  const done = loop(options, stopping.signal)
  done.catch(() => {})
  return {
    done,
    stop: async () => {
      stopping.abort()
      await done.catch(() => {})
    },
  }
}

async function loop(options: PollOptions, stopping: AbortSignal): Promise<void> {
  const { name, work, logger, idleMs = 100, maxElapsedMs = 600_000 } = options
  let failures = 0
  let lastSuccess = performance.now()
  while (!stopping.aborted) {
    try {
      const { hasMore } = await work()
      failures = 0
      lastSuccess = performance.now()
      if (hasMore) continue
    } catch (error) {
      failures++
      const isLast = performance.now() - lastSuccess > maxElapsedMs
      logger?.error(
        { work: name, failures, errorName: nameOf(error), code: codeOf(error) },
        isLast ? 'work keeps failing: stopping' : 'work failed: trying again',
      )
      if (isLast) throw error
    }
    const pauseMs = Math.max(idleMs, Math.min(10_000, idleMs * 2 ** Math.min(failures, 10)))
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {})
  }
}
