import { type EngineResult, openSession } from './engine.ts'
import { errors } from './errors.ts'
import { quote } from './sql-text.ts'

export interface PoolOptions {
  path: string
  /** The engine refuses an allocation beyond this, over all queries and merges. */
  memoryBytes: number
  /** How many queries run at a time, and how many more may wait for one to end. */
  running: number
  waiting: number
}

/** One query's own engine session: what it sets (settings, parameters, database) ends with it. */
export interface Lease {
  slot: number
  run(sql: string, format: string): Promise<EngineResult>
  release(): void
}

export type SessionPool = Awaited<ReturnType<typeof openSessionPool>>

// Mapped files would count as memory of this process while an insert's rows are read.
// The prelude that carries bound parameters must parse whatever their size; it sets the caller's own limit afterwards.
// The engine starts a second thread only with 2 GiB free, which it never has here: every query would run on one core.
const sessionArgs = [
  '--implicit_select=0',
  '--max_query_size=268435456',
  '--storage_file_read_method=pread',
  '--max_threads_min_free_memory_per_thread=134217728',
]

const killEveryMs = 50

/**
 * Opens the engine on a folder. A session costs 0.2 ms, so that each query gets a fresh one instead of a cleaned one;
 * the first stays open because the engine lives as long as a session does.
 */
export async function openSessionPool(options: PoolOptions) {
  const anchor = openSession(options.path, [...serverArgs(options.memoryBytes), ...sessionArgs])
  const version = Buffer.from((await anchor.run('SELECT version()', 'TSV')).bytes)
    .toString()
    .trim()
  const free = Array.from({ length: options.running }, (_, slot) => options.running - 1 - slot)
  const queue: { start(slot: number): void; fail(error: Error): void }[] = []
  const idle: (() => void)[] = []
  const abandoned = new Set<string>()
  let isKilling = false
  let closing = false

  const openLease = (slot: number): Lease => {
    const session = openSession(options.path, sessionArgs)
    let released = false
    return {
      slot,
      run: session.run,
      release() {
        if (released) return
        released = true
        session.close()
        const next = queue.shift()
        if (next) return next.start(slot)
        free.push(slot)
        if (free.length === options.running) for (const done of idle.splice(0)) done()
      },
    }
  }

  /** The query must not run at a caller that has gone: `signal` takes it out of the queue. */
  async function lease(signal: AbortSignal): Promise<Lease> {
    if (closing) throw errors.shuttingDown()
    signal.throwIfAborted()
    const slot = free.pop()
    if (slot !== undefined) return openLease(slot)
    if (queue.length >= options.waiting) throw errors.tooManyQueries(options.running, queue.length)
    return openLease(await waitForSlot(signal))
  }

  function waitForSlot(signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const entry = {
        start: (slot: number) => settle(() => resolve(slot)),
        fail: (error: Error) => settle(() => reject(error)),
      }
      const onAbort = () => {
        queue.splice(queue.indexOf(entry), 1)
        entry.fail(signal.reason)
      }
      const settle = (finish: () => void) => {
        signal.removeEventListener('abort', onAbort)
        finish()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      queue.push(entry)
    })
  }

  /** Outside the pool: a full pool must not keep anyone from ending a query. */
  async function kill(condition: string): Promise<void> {
    const session = openSession(options.path, sessionArgs)
    try {
      await session.run(`KILL QUERY WHERE ${condition} ASYNC`, 'Null')
    } finally {
      session.close()
    }
  }

  /** One statement for all, again until they have ended: a KILL may come before the engine knows the query. */
  async function killAbandoned(): Promise<void> {
    if (isKilling) return
    isKilling = true
    while (abandoned.size > 0) {
      await kill(`Settings['log_comment'] IN (${[...abandoned].map(quote).join(', ')})`).catch(() => {})
      await new Promise((next) => setTimeout(next, killEveryMs))
    }
    isKilling = false
  }

  const untilIdle = () =>
    free.length === options.running ? Promise.resolve() : new Promise<void>((resolve) => idle.push(resolve))

  return {
    version,
    lease,
    /** Ends a query that nobody waits for; the result says that it has ended. */
    abandon(comment: string): () => void {
      abandoned.add(comment)
      void killAbandoned()
      return () => abandoned.delete(comment)
    },
    /** Lets what runs go on for a while, then ends it. */
    async close(graceMs: number): Promise<void> {
      closing = true
      for (const entry of queue.splice(0)) entry.fail(errors.shuttingDown())
      const late = setTimeout(() => void kill(`query NOT LIKE 'KILL QUERY%'`).catch(() => {}), graceMs)
      await untilIdle()
      clearTimeout(late)
      anchor.close()
    },
  }
}

function serverArgs(memoryBytes: number): string[] {
  return [
    `--max_server_memory_usage=${memoryBytes}`,
    `--mark_cache_size=${Math.floor(memoryBytes / 16)}`,
    `--index_mark_cache_size=${Math.floor(memoryBytes / 32)}`,
    '--background_pool_size=2',
    '--background_schedule_pool_size=8',
    '--async_load_databases=0',
  ]
}
