import { afterLoad } from './idle.ts'
import { takeLinkToken } from './link-token.ts'
import { momentOf } from './moment.ts'
import { followPages, guard, on } from './navigation.ts'
import { handedOver, inSoundRealm, readElement } from './realm.ts'
import type { Api, Call, Command, Settings } from './settings.ts'
import { openTracker, type Tracker } from './tracker.ts'

const mostWaiting = 200

/**
 * Next to nothing while the page loads: it takes the link token away, notes what happens, when and where, and opens the
 * tracker once the page has loaded and rests, or is left. The page may have broken anything that this calls: lists are
 * gone through index by index.
 */
function start(): void {
  const page = window as Window & { touchline?: Api }
  const { document } = page
  const found = page.touchline
  // A page that has an element called touchline shows it under that name.
  const api: Api = found && typeof found.push === 'function' ? found : ([] as unknown as Api)
  if (api.isLoaded) return
  api.isLoaded = true
  // The newer loader has taken the token and said where the script is; to touch an element is dear.
  const token = api.src ? api.token : api.token || guard(takeLinkToken)(page)
  const element = api.src ? { src: api.src } : readElement()
  let early: [name: string, args: unknown[]][] = []
  let waiting: Call[] = []
  let settings: Settings | undefined
  let tracker: Tracker | undefined
  let isOpening = false

  const open = () => {
    if (isOpening) return
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
  const note = (name: string, args: unknown[]) => {
    const call: Call = { name, args, moment: momentOf(page) }
    if (name === 'visitorId') open()
    if (tracker) return tracker.run(call)
    if (waiting.length < mostWaiting) waiting[waiting.length] = call
    return undefined
  }
  const view = () => note('page', [])
  const begin = () => {
    view()
    if (settings!.spa !== 'off') followPages(page, settings!.spa, view)
    on(page, 'pagehide', leave)
    on(page, 'visibilitychange', () => document.visibilityState === 'hidden' && leave())
    afterLoad(page, open)
  }
  const init = (given: Settings | undefined) => {
    if (settings || !given?.key || !given.url) return
    settings = given
    // A page that the browser prepares in advance is a view when it is shown.
    if ((document as Document & { prerendering?: boolean }).prerendering) on(document, 'prerenderingchange', begin)
    else begin()
    const calls = early
    early = []
    for (let at = 0; at < calls.length; at++) run(calls[at]![0], calls[at]![1])
  }
  const run = guard((name: string, args: unknown[]): unknown => {
    if (name === 'init') return init(args[0] as Settings | undefined)
    if (settings) return note(name, args)
    early[early.length] = [name, args]
    return undefined
  })
  const push = guard((command: Command) => {
    const args: unknown[] = []
    for (let at = 1; at < command.length; at++) args[at - 1] = command[at]
    return run(command[0], args)
  })

  const calls = api as unknown as Command[]
  const count = calls.length
  api.push = push
  // The newer loader's functions call `push`.
  const names = api.src ? ['visitorId'] : ['init', 'page', 'track', 'identify', 'consent', 'reset', 'visitorId']
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!
    api[name] = (...args: unknown[]) => run(name, args)
  }
  guard(() => {
    page.touchline = api
  })()
  for (let at = 0; at < count; at++) push(calls[at]!)
  if (element.settings) run('init', [JSON.parse(element.settings)])
}

guard(() => handedOver(openTracker) || start())()
