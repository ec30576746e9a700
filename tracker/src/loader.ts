import { takeLinkToken } from './link-token.ts'
import type { Api, Settings } from './settings.ts'

declare const TOUCHLINE_SRC: string
declare const TOUCHLINE_SETTINGS: Settings

/**
 * What a page carries itself, at the top of its head: it takes the link token away before anything else runs, keeps
 * calls until the script is there, and fetches it without holding the page up.
 */
try {
  const host = window as Window & { touchline?: Api }
  const found = host.touchline
  const calls: Api = found && typeof found.push === 'function' ? found : ([] as unknown as Api)
  if (!calls.init) {
    host.touchline = calls
    // Index by index: a page may have broken the methods of arrays, and these calls are the page's own.
    const names = ['init', 'page', 'track', 'identify', 'consent', 'reset']
    for (let at = 0; at < names.length; at++) {
      const name = names[at]!
      calls[name] = (...args: unknown[]) => {
        const call: unknown[] = [name]
        for (let n = 0; n < args.length; n++) call[n + 1] = args[n]
        ;(calls as unknown as unknown[])[(calls as unknown as unknown[]).length] = call
      }
    }
    try {
      const token = takeLinkToken(window)
      if (token) calls.token = token
    } catch {
      // On a page that has broken texts the script tries again.
    }
    const own = document.currentScript
    const script = document.createElement('script')
    script.async = true
    script.src = TOUCHLINE_SRC
    if (own?.nonce) script.nonce = own.nonce
    ;(document.head || document.documentElement).appendChild(script)
    ;(calls.init as (settings: Settings) => void)(TOUCHLINE_SETTINGS)
  }
} catch {
  // The page comes first.
}
