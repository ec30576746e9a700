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
  /** What it is kept under. */
  name?: string | undefined
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
  /** Forgets every hit, also what other tabs and other keys of the site have kept. */
  clear(): void
}

const batchSize = 20
const mostInMemory = 200
const mostKept = 50
const firstRetryMs = 1_000
const longestRetryMs = 300_000
const oldestMs = 30 * 86_400_000
const marker = '_tl_q'
/** Longer than hits are kept, so that they are found and removed after that; browsers keep no cookie longer. */
const markerDays = 395

/** `_tl_q.<key>.<time>.<event id>`: its age can be told without opening it. */
const nameOf = (key: string, { event_time, event_id }: SentEvent) => `${marker}.${key}.${event_time}.${event_id}`
const timeOf = (name: string) => Number(name.split('.')[2]) || 0

/** Names of all that the site has kept, the newest first; what is too old or too much is forgotten. */
function keptNames(): string[] {
  const names = storage.keys(`${marker}.`).sort((a, b) => timeOf(b) - timeOf(a))
  const oldest = Date.now() - oldestMs
  return names.filter((name, at) => {
    const isLive = at < mostKept && timeOf(name) > oldest
    if (!isLive) storage.remove(name)
    return isLive
  })
}

/**
 * Hits on their way to the collector, which knows each by its id and counts it once: sending twice does no harm, so
 * tabs need not agree. Each hit that is kept has an entry of its own, because two tabs would overwrite a list. Local
 * storage is slow to open: a cookie says whether there is anything in it. Consent is asked before anything leaves or is
 * kept: it may have been withdrawn in another tab.
 */
export function openQueue(page: Window, { key, url }: Settings, jar: Jar, isGranted: () => boolean): Queue {
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
    const name = nameOf(key, item.event)
    if (item.name || !storage.set(name, JSON.stringify([item.visitor, item.event]))) return
    item.name = name
    jar.mark(marker, markerDays)
    keptNames()
  }
  const forget = ({ name }: Item) => name && storage.remove(name)
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
    if (inFlight.length || !waiting.length || !isGranted()) return
    inFlight = next()
    waiting = without(inFlight)
    const sent = inFlight
    post(url, body(sent), failures, (status, waitSeconds) => {
      if (sent !== inFlight) return
      inFlight = []
      if (!isGranted()) return
      if (status === 0 || status === 408 || status === 429 || status >= 500) {
        waiting = sent.concat(waiting)
        waiting.slice(-mostKept).forEach(keep)
        const backOff = Math.min(longestRetryMs, firstRetryMs * 2 ** failures++)
        schedule(Math.max(backOff * (0.5 + Math.random() / 2), waitSeconds * 1000))
        return
      }
      failures = 0
      if ((status === 400 || status === 413 || status === 422) && sent.length > 1) {
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
      if (!isGranted()) return
      const isOnline = page.navigator.onLine !== false
      const fresh = waiting.filter(({ name }) => !name)
      waiting = without(fresh)
      while (fresh.length) {
        const batch = takeBeacon(fresh)
        if (!isOnline || !beacon(page, url, body(batch))) {
          batch.forEach(keep)
          // The page may live on: a tab that was only hidden tries again.
          waiting = waiting.concat(batch)
        }
      }
    },
    mayHaveLeft: () => jar.isRefused() || jar.read(marker) !== undefined,
    recover() {
      const known = inFlight.concat(waiting).map(({ name }) => name)
      const names = keptNames()
      if (!names.length) jar.remove(marker)
      for (const name of names.filter((name) => name.indexOf(`${marker}.${key}.`) === 0 && known.indexOf(name) < 0)) {
        try {
          const [visitor, event] = JSON.parse(storage.get(name)!) as [string, SentEvent]
          waiting.push({ visitor, event, name })
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
      storage.keys(`${marker}.`).forEach(storage.remove)
      jar.remove(marker)
    },
  }
}

/**
 * The first hits of one visitor that can go in one beacon. Nobody reads its answer, so a hit that the collector might not
 * take, which is any that the page has made, goes alone.
 */
function takeBeacon(fresh: Item[]): Item[] {
  const canJoin = ({ event, visitor }: Item) => event.event_type === 'page_view' && visitor === fresh[0]!.visitor
  let count = 0
  while (count < batchSize && fresh[count] && canJoin(fresh[count]!)) count++
  return fresh.splice(0, count || 1)
}
