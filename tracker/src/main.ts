import { takeLinkToken } from './link-token.ts'
import { guard } from './navigation.ts'
import { inSoundRealm, type Start } from './realm.ts'
import type { Api, Command, Settings } from './settings.ts'
import { openTracker, type Tracker } from './tracker.ts'

/** Turns the list of calls into the tracker: first `init`, then the rest in the order it came. */
function start({ page, script }: Start) {
  const token = takeLinkToken(page)
  const host = page as Window & { touchline?: Api }
  const found = host.touchline
  // A page that has an element called touchline shows it under that name.
  const api: Api = found && typeof found.push === 'function' ? found : ([] as unknown as Api)
  if (api.isLoaded) return
  api.isLoaded = true
  const early: Command[] = Array.prototype.slice.call(api)
  let tracker: Tracker | undefined
  const waiting: Command[] = []

  const run = guard(([name, ...args]: Command) => {
    if (name === 'init') {
      const settings = args[0] as Settings | undefined
      if (tracker || !settings?.key || !settings.url) return undefined
      tracker = openTracker(page, settings, api.token || token)
      waiting.splice(0).forEach(run)
      return undefined
    }
    if (!tracker) return void waiting.push([name, ...args])
    return tracker[name]?.(...(args as never[]))
  })

  api.push = run
  for (const name of ['init', 'page', 'track', 'identify', 'consent', 'reset', 'visitorId']) {
    api[name] = (...args: unknown[]) => run([name, ...args])
  }
  guard(() => {
    host.touchline = api
  })()
  early.forEach(run)
  if (script?.settings) run(['init', JSON.parse(script.settings)])
}

guard(inSoundRealm)(guard(start))
