import { reduceAddress, reduceReferrer } from './address.ts'
import { type Consent, isRefused, openChoice } from './consent.ts'
import { openJar } from './cookies.ts'
import { whenIdle } from './idle.ts'
import { openKeeper } from './keeper.ts'
import { decodeToken, takeLinkToken } from './link-token.ts'
import { type Moment, momentOf } from './moment.ts'
import { guard, on } from './navigation.ts'
import { openQueue, type SentEvent } from './queue.ts'
import type { Call, Settings } from './settings.ts'
import { uuid } from './uuid.ts'
import { openVisitor } from './visitor.ts'

type Fields = Record<string, unknown>

export interface Tracker {
  run(call: Call): unknown
  /** The page may be gone in a moment. */
  leave(): void
}

const mostHeld = 50
const recoverAfterMs = 1_500
const dayMs = 86_400_000

/** One page's tracker: everything that `window.touchline` can do, once it knows its settings. */
export function openTracker(page: Window, settings: Settings, linkToken: string | undefined): Tracker {
  const { document, location } = page
  const jar = openJar(page, settings.domain)
  const keeper = openKeeper(jar)
  const choice = openChoice(page, settings, keeper)
  const visitor = openVisitor(jar, keeper, settings.days || 395)
  const queue = openQueue(page, settings, jar, () => look() === 'granted')
  let consent = choice.now()
  // What happens before the visitor has chosen stays in memory, with the address it happened on: a landing page's
  // tags and click ids are not lost when consent comes two views later. Nothing stands where somebody else begins.
  let held: (SentEvent | undefined)[] = []
  let token = decodeToken(linkToken || takeLinkToken(page))
  let referrer = reduceReferrer(document.referrer)
  let lastTraits = ''

  const addressOf = ({ href }: Moment) => reduceAddress(location.origin, href, settings.spa === 'hash')
  /** The page's clock may have been stopped or replaced. */
  const timeOf = ({ at }: Moment, now = Date.now()) => (Math.abs(now - at) < dayMs ? at : now)
  /** Whether it was taken: not from a visitor who has refused. */
  const emit = (type: string, moment: Moment, fields: Fields): boolean => {
    const event: SentEvent = {
      event_id: uuid(),
      event_type: type,
      event_time: timeOf(moment),
      url: addressOf(moment),
      ...fields,
    }
    const state = look()
    if (state === 'granted') queue.add(visitor.id(), event)
    else if (state === 'waiting' && held.length < mostHeld) held.push(event)
    else return false
    return true
  }
  const view = (moment: Moment) => {
    emit('page_view', moment, { referrer: referrer || undefined, link_token: token })
    token = undefined
    referrer = addressOf(moment)
  }
  // What an earlier page left can wait until this one stands.
  const recover = () => queue.mayHaveLeft() && setTimeout(() => whenIdle(queue.recover), recoverAfterMs)

  /** Other tags of the page may follow the visitor's choice. */
  const announce = () => page.dispatchEvent(new CustomEvent('touchline:consent', { detail: consent === 'granted' }))

  /** Follows the choice as it stands this moment, wherever it was made. */
  function look(): Consent {
    const before = consent
    consent = choice.now()
    if (consent !== before) {
      const early = held
      held = []
      if (consent === 'granted') release(early)
      else forget()
      announce()
    }
    return consent
  }
  const release = (early: typeof held) => {
    for (const event of early) {
      if (event) queue.add(visitor.id(), event)
      else visitor.forget()
    }
    recover()
  }
  const forget = () => {
    queue.clear()
    visitor.forget()
    lastTraits = ''
  }

  on(page, 'pageshow', (event) => (event as PageTransitionEvent).persisted && view(momentOf(page)))
  on(page, 'online', queue.flush)
  whenIdle(() => {
    if (consent === 'granted') {
      recover()
      announce()
    } else if (consent === 'denied' && (visitor.isKnown() || queue.mayHaveLeft())) forget()
  })

  const calls: Record<string, (moment: Moment, ...args: never[]) => unknown> = {
    page: view,
    track(moment, type: string, properties?: Fields | null, traits?: Fields) {
      if (!type || typeof type !== 'string') return
      const { value, currency, name, event_id } = properties || {}
      emit(type, moment, {
        event_name: name,
        properties: value == null ? undefined : { value, currency },
        user_traits: traits,
        ...(event_id ? { event_id: String(event_id) } : {}),
      })
    },
    identify(moment, who: string | number | Fields, more?: Fields) {
      if (!who) return
      const traits = typeof who === 'object' ? who : { external_id: who, ...more }
      const text = JSON.stringify(traits)
      // Sites say who is there on every change of a page; once is enough.
      if (text !== lastTraits && emit('identify', moment, { user_traits: traits })) lastTraits = text
    },
    consent(_moment, isGranted: boolean) {
      // Whoever switched the browser's own signal on has chosen already.
      if (typeof isGranted !== 'boolean' || (isGranted && isRefused(page, settings))) return
      choice.make(isGranted)
      const before = consent
      look()
      // Whoever says it again is heard again.
      if (consent === before) announce()
    },
    reset() {
      if (held[held.length - 1]) held.push(undefined)
      visitor.forget()
      lastTraits = ''
    },
    /** For a server that reports an outcome of this browser; nothing without consent. */
    visitorId: () => (look() === 'granted' ? visitor.id() : undefined),
  }
  return {
    run: guard(({ name, args, moment }: Call) => calls[name]?.(moment, ...(args as never[]))),
    leave: queue.leave,
  }
}
