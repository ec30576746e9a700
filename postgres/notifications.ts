import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

export interface Listening {
  /** Resolves once notifications are heard. */
  ready: Promise<void>
  stop(): Promise<void>
}

const retryMs = 1000

/**
 * Hears what other processes say on a channel, over a connection of its own. `onDeaf` runs whenever something may have
 * been missed: the connection broke and stands again.
 */
export function listen(
  pool: pg.Pool,
  channel: string,
  { onMessage, onDeaf }: { onMessage: (payload: string) => void; onDeaf: () => void },
): Listening {
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  let client: pg.Client | undefined

  const hear = async () => {
    for (let isFirst = true; !stopping.signal.aborted; isFirst = false) {
      client = new pg.Client({ connectionString: pool.options.connectionString, keepAlive: true })
      const ended = new Promise<void>((resolve) => {
        client!.once('end', resolve)
        client!.once('error', () => resolve())
      })
      client.on('notification', ({ payload }) => onMessage(payload ?? ''))
      try {
        await client.connect()
        await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
        if (!isFirst) onDeaf()
        ready.resolve()
        await ended
      } catch {
        // Postgres is away: tried again below.
      }
      await client.end().catch(() => {})
      await sleep(retryMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const done = hear()
  return {
    ready: ready.promise,
    stop: async () => {
      stopping.abort()
      await client?.end().catch(() => {})
      await done
    },
  }
}
