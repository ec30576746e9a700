import { afterLoad, whenIdle } from './idle.ts'
import { takeLinkToken } from './link-token.ts'
import { type Moment, momentOf } from './moment.ts'
import { followPages, guard, on } from './navigation.ts'
import { handedOver, inSoundRealm, readElement } from './realm.ts'
import type { Api, Call, Command, Settings } from './settings.ts'
import { openTracker, type Tracker } from './tracker.ts'

const mostWaiting = 200

/**
 * Next to nothing while the page loads: it notes what happens, when and where. It takes over from the loader when the page
 * rests for the first time, and opens the tracker once the page has loaded and rests, or is left. The page may have broken
 * anything that this calls: lists are gone through index by index.
 */
function start(): void {
  const page = window as Window & { touchline?: Api }
  const { document } = page
  const found = page.touchline
  // Not asked where there is something: to look for what a page does not have is dear.
  if (!found && handedOver(openTracker)) return
  // A page that has an element called touchline shows it under that name.
  const api: Api = found && typeof found.push === 'function' ? found : ([] as unknown as Api)
  if (api.isLoaded) return
  api.isLoaded = true
  // The newer loader has taken the token and said where the script is; to touch an element is dear.
  const hasLoader = Boolean(api.src)
  const token = hasLoader ? api.token : api.token || guard(takeLinkToken)(page)
  const element = hasLoader ? { src: api.src! } : readElement()
  const landing = momentOf(page)
  const calls = api as unknown as Command[]
  const count = calls.length
  let waiting: Call[] = []
  let settings: Settings | undefined
  let tracker: Tracker | undefined
  let hasTakenOver = false
  let isOpening = false

  const takeOver = () => {
    if (hasTakenOver) return
    hasTakenOver = true
    const since = waiting
    waiting = []
    // What the loader has kept was called before the script came, at the latest on the page that it came to.
    for (let at = 0; at < count; at++) note(calls[at]!, landing)
    if (element.settings) init(JSON.parse(element.settings))
    for (let at = 0; at < since.length; at++) take(since[at]!)
  }
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
    takeOver()
    open()
    tracker?.leave()
  }
  const take = (call: Call): unknown => {
    if (call.name === 'init' && hasTakenOver) return init(call.args[0] as Settings | undefined)
    if (call.name === 'visitorId') {
      takeOver()
      open()
    }
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

  api.push = guard((command: Command) => note(command, momentOf(page)))
  // The newer loader's functions call `push`.
  const names = hasLoader ? ['visitorId'] : ['init', 'page', 'track', 'identify', 'consent', 'reset', 'visitorId']
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!
    api[name] = (...args: unknown[]) => run(name, args)
  }
  if (api !== found)
    guard(() => {
      page.touchline = api
    })()
  on(page, 'visibilitychange', () => document.visibilityState === 'hidden' && leave())
  if (hasLoader) whenIdle(takeOver)
  else takeOver()
}

guard(start)()
