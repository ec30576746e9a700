import { removeToken } from './link-token.ts'
import type { Moment } from './moment.ts'
import type { Api, Command, Settings } from './settings.ts'

declare const TOUCHLINE_SRC: string
declare const TOUCHLINE_SETTINGS: Settings

/**
 * What a page carries itself, at the top of its head, before the element that loads the script: it takes the link token
 * away before anything else runs, and keeps calls, each with its moment, until the script takes over.
 */
try {
  const host = window as Window & { touchline?: Api }
  const found = host.touchline
  const api: Api = found && typeof found.push === 'function' ? found : ([] as unknown as Api)
  if (!api.init) {
    host.touchline = api
    const calls = api as unknown as Command[]
    // Index by index: a page may have broken the methods of arrays, and these calls are the page's own.
    const moments: Moment[] = []
    api.moments = moments
    api.push = (call) => {
      try {
        const at = calls.length
        calls[at] = call
        moments[at] = { at: Date.now(), href: document.URL }
      } catch {
        // A page without a clock: told with the moment the script came. One that has closed the list: not told.
      }
    }
    const names = ['init', 'page', 'track', 'identify', 'consent', 'reset']
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      api[name] = (...args: unknown[]) => {
        const call: Command = [name]
        for (let n = 0; n < args.length; n++) call[n + 1] = args[n]
        return api.push(call)
      }
    }
    api.src = TOUCHLINE_SRC
    const at = calls.length
    calls[at] = ['init', TOUCHLINE_SETTINGS]
    // On a page that has broken texts or the clock the script does both of these.
    if (document.URL.indexOf('svc_t') > 0) api.token = removeToken(window)
    // Not by the function above, which would have to be compiled for it.
    moments[at] = { at: Date.now(), href: document.URL }
  }
} catch {
  // The page comes first.
}
