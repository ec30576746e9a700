import { afterLoad } from './idle.ts'
import { type Moment, momentOf } from './moment.ts'
import { followPages, guard, on } from './navigation.ts'
import { inSoundRealm, type OwnElement } from './realm.ts'
import type { Api, Call, Command, Settings } from './settings.ts'
import type { Tracker } from './tracker.ts'

const mostWaiting = 200

/** What the script has found when it came. */
export interface Arrival {
  element: OwnElement
  token: string | undefined
}

export interface Desk {
  visitorId(): unknown
  /** The page is hidden or left: whatever there is to tell is told now. */
  leave(): void
}

/**
 * Takes calls over from the loader and keeps them until the page has loaded and rests, or is left; then it opens the
 * tracker. The page may have broken anything that this calls: lists are gone through index by index.
 */
export function openDesk(page: Window & { touchline?: Api }, api: Api, { element, token }: Arrival): Desk {
  const { document } = page
  const kept = api as unknown as Command[]
  const count = kept.length
  // An element may stand under the document's name for its address.
  const momentAt = (at: number): Moment | undefined => {
    const moment = api.moments?.[at]
    return moment && typeof moment.href === 'string' ? moment : undefined
  }
  // The loader's own call is the first that has one.
  let landing = momentOf(page)
  for (let at = count; at--; ) landing = momentAt(at) || landing
  let waiting: Call[] = []
  let settings: Settings | undefined
  let tracker: Tracker | undefined
  let isOpening = false

  const open = () => {
    if (isOpening || !settings) return
    isOpening = true
    inSoundRealm(element, (openTracker) => {
      tracker = openTracker(page, settings!, token)
      for (let at = 0; at < waiting.length; at++) tracker.run(waiting[at]!)
      waiting = []
    })
  }
  const leave = () => {
    open()
    tracker?.leave()
  }
  const take = (call: Call): unknown => {
    if (call.name === 'init') return init(call.args[0] as Settings | undefined)
    if (call.name === 'visitorId') open()
    if (tracker) return tracker.run(call)
    if (waiting.length < mostWaiting) waiting[waiting.length] = call
    return undefined
  }
  const begin = (moment: Moment) => {
    const before = waiting
    waiting = []
    take({ name: 'page', args: [], moment })
    for (let at = 0; at < before.length; at++) take(before[at]!)
    if (settings!.spa !== 'off') followPages(page, settings!.spa, moment.href, () => run('page', []))
    on(page, 'pagehide', leave)
    afterLoad(page, open)
  }
  const init = (given: Settings | undefined) => {
    if (settings || !given?.key || !given.url) return
    settings = given
    // A page that the browser prepares in advance is a view when it is shown.
    if ((document as Document & { prerendering?: boolean }).prerendering)
      on(document, 'prerenderingchange', () => begin(momentOf(page)))
    else begin(landing)
  }
  const run = guard((name: string, args: unknown[]): unknown => take({ name, args, moment: momentOf(page) }))
  const note = guard((command: Command, moment: Moment) => {
    const args: unknown[] = []
    for (let at = 1; at < command.length; at++) args[at - 1] = command[at]
    return take({ name: command[0], args, moment })
  })

  // A page may have closed the list: what it has said already counts all the same.
  guard(() => {
    api.push = guard((command: Command) => note(command, momentOf(page)))
    const names = ['init', 'page', 'track', 'identify', 'consent', 'reset', 'visitorId']
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      api[name] = (...args: unknown[]) => run(name, args)
    }
    if (page.touchline !== api) page.touchline = api
  })()
  for (let at = 0; at < count; at++) note(kept[at]!, momentAt(at) || landing)
  if (element.settings) init(JSON.parse(element.settings))
  return { visitorId: () => run('visitorId', []), leave }
}
