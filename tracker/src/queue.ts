import type { Jar } from './cookies.ts'
import { whenIdle } from './idle.ts'
import type { Settings } from './settings.ts'
import { storage } from './storage.ts'
import { beacon, post } from './transport.ts'

export interface SentEvent {
  event_id: string
  event_type: string
  event_time: number
  [field: string]: unknown
}

interface Item {
  visitor: string
  event: SentEvent
  isKept?: boolean
}

export interface Queue {
  add(visitor: string, event: SentEvent): void
  /** Sends what waits; what waits for its turn after a failure as well. */
  flush(): void
  /** Hands everything that was not sent to the browser, because the page may be gone in a moment. */
  leave(): void
  /** Whether an earlier page may have left something that it could not send. */
  mayHaveLeft(): boolean
  recover(): void
  clear(): void
}

const batchSize = 20
const mostInMemory = 200
const mostKept = 50
const firstRetryMs = 1_000
const longestRetryMs = 300_000
const oldestDays = 30

/**
 * Hits on their way to the collector, which knows each by its id and counts it once: sending twice does no harm, so
 * tabs need not agree. Each hit that is kept has an entry of its own, because two tabs would overwrite a list. Local
 * storage is slow to open: a cookie says whether there is anything in it, for as long as that would still be sent.
 */
export function openQueue(page: Window, { key, url }: Settings, jar: Jar): Queue {
  const marker = `_tl_q.${key}`
  const prefix = `${marker}.`
  let waiting: Item[] = []
  let inFlight: Item[] = []
  let failures = 0
  let toSendAlone = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isGathering = false

  const body = (items: Item[]) =>
    JSON.stringify({
      tracking_key: key,
      visitor_id: items[0]!.visitor,
      sent_at: Date.now(),
      events: items.map(({ event }) => event),
    })
  const keep = (item: Item) => {
    if (item.isKept) return
    item.isKept = storage.set(prefix + item.event.event_id, JSON.stringify([item.visitor, item.event]))
    if (item.isKept) jar.mark(marker, oldestDays)
  }
  const forget = ({ event, isKept }: Item) => isKept && storage.remove(prefix + event.event_id)
  /** The first of one visitor, as many as one request takes. */
  const next = () =>
    waiting.filter(({ visitor }) => visitor === waiting[0]!.visitor).slice(0, toSendAlone-- > 0 ? 1 : batchSize)
  const without = (taken: Item[]) => waiting.filter((item) => taken.indexOf(item) < 0)
  const schedule = (delayMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(send, delayMs)
  }

  /** What happens until the page rests goes together. */
  const gather = () => {
    if (isGathering) return
    isGathering = true
    whenIdle(() => {
      isGathering = false
      if (!timer) send()
    })
  }

  function send() {
    timer = undefined
    if (inFlight.length || !waiting.length) return
    inFlight = next()
    waiting = without(inFlight)
    const sent = inFlight
    post(url, body(sent), failures, (status, waitSeconds) => {
      if (sent !== inFlight) return
      inFlight = []
      if (status === 0 || status === 408 || status === 429 || status >= 500) {
        waiting = sent.concat(waiting)
        waiting.slice(-mostKept).forEach(keep)
        const backOff = Math.min(longestRetryMs, firstRetryMs * 2 ** failures++)
        schedule(Math.max(backOff * (0.5 + Math.random() / 2), waitSeconds * 1000))
        return
      }
      failures = 0
      if ((status === 400 || status === 422) && sent.length > 1) {
        // One hit that the collector cannot take must not cost the others.
        toSendAlone = sent.length
        waiting = sent.concat(waiting)
      } else sent.forEach(forget) // Taken, or refused for good: the same hit would be refused again.
      if (waiting.length) schedule(0)
    })
  }

  return {
    add(visitor, event) {
      waiting.push({ visitor, event })
      if (waiting.length > mostInMemory) waiting.splice(0, 1).forEach(forget)
      if (failures) keep(waiting[waiting.length - 1]!)
      else if (!timer) gather()
    },
    flush: () => schedule(0),
    leave() {
      const fresh = waiting.filter(({ isKept }) => !isKept)
      waiting = without(fresh)
      while (fresh.length) {
        const batch = fresh.splice(0, batchSize).filter((item, _at, [first]) => {
          if (item.visitor === first!.visitor) return true
          keep(item)
          return false
        })
        const isOnline = page.navigator.onLine !== false
        if (!isOnline || !beacon(page, url, body(batch))) {
          batch.forEach(keep)
          // The page may live on: a tab that was only hidden tries again.
          waiting = waiting.concat(batch)
        }
      }
    },
    mayHaveLeft: () => jar.isRefused() || jar.read(marker) !== undefined,
    recover() {
      const known = inFlight.concat(waiting).map(({ event }) => prefix + event.event_id)
      for (const name of storage.keys(prefix).filter((name) => known.indexOf(name) < 0)) {
        try {
          const [visitor, event] = JSON.parse(storage.get(name)!) as [string, SentEvent]
          if (Date.now() - event.event_time > oldestDays * 86_400_000) storage.remove(name)
          else waiting.push({ visitor, event, isKept: true })
        } catch {
          storage.remove(name)
        }
      }
      if (waiting.length && !timer) schedule(0)
    },
    clear() {
      waiting = []
      inFlight = []
      clearTimeout(timer)
      timer = undefined
      storage.keys(prefix).forEach(storage.remove)
      jar.remove(marker)
    },
  }
}
