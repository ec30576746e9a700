import { partsOf } from './address.ts'
import { hrefOf } from './moment.ts'
import type { Settings } from './settings.ts'

type Change = 'push' | 'replace' | 'traverse'
type NavigationTarget = EventTarget & { updateCurrentEntry?: unknown }

/** By the browser's own function: a page may have put another on its objects. */
export const on = (target: EventTarget, type: string, handler: (event: Event) => void): void =>
  EventTarget.prototype.addEventListener.call(target, type, guard(handler), true)

/** Nothing that fails here reaches the page. */
export const guard =
  <Args extends unknown[], T>(work: (...args: Args) => T) =>
  (...args: Args): T | undefined => {
    try {
      return work(...args)
    } catch {
      return undefined
    }
  }

/**
 * Calls back when the visitor sees another page of a single-page site: once a page, whatever its router does to get
 * there. A replaced address is another page only if its path is: filters and steps write their query that way. What became
 * of the landing page's address before counts as replaced.
 */
export function followPages(page: Window, mode: Settings['spa'], landing: string, onPage: () => void): void {
  let seen = landing
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReplace = true

  const settle = () => {
    timer = undefined
    const before = partsOf(seen)
    seen = hrefOf(page)
    const after = partsOf(seen)
    const isNew =
      before.pathname !== after.pathname ||
      (mode === 'hash' && before.hash !== after.hash) ||
      (!isReplace && before.search !== after.search)
    isReplace = true
    if (isNew) onPage()
  }
  // A router that redirects changes the address several times in a row: only where it ends is a page.
  const changed = (change: Change) => {
    if (change !== 'replace') isReplace = false
    if (timer === undefined) timer = setTimeout(guard(settle), 0)
  }

  if (hrefOf(page) !== seen) changed('replace')
  const { navigation } = page as Window & { navigation?: NavigationTarget }
  if (navigation?.updateCurrentEntry) {
    on(navigation, 'currententrychange', (event) =>
      changed((event as Event & { navigationType: Change }).navigationType),
    )
    return
  }
  on(page, 'popstate', () => changed('traverse'))
  on(page, 'hashchange', () => changed('push'))
  const wrap = (name: 'pushState' | 'replaceState', change: Change) => {
    const original = page.history[name]
    page.history[name] = function (this: History, ...args) {
      const result = original.apply(this, args)
      guard(changed)(change)
      return result
    }
  }
  guard(wrap)('pushState', 'push')
  guard(wrap)('replaceState', 'replace')
}
