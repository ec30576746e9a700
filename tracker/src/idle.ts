import { guard, on } from './navigation.ts'

const patienceMs = 1_000

/** In an idle period of the page, within a second; where browsers know of none, as soon as the page has had its turn. */
export function whenIdle(work: () => void): void {
  const guarded = guard(work)
  try {
    requestIdleCallback(guarded, { timeout: patienceMs })
  } catch {
    setTimeout(guarded, 1)
  }
}

/** In an idle period after the page has loaded: mostly the first one, since a page waits for the script too. */
export function afterLoad(page: Window, work: () => void): void {
  whenIdle(() => {
    if (page.document.readyState === 'complete') work()
    else on(page, 'load', () => whenIdle(work))
  })
}
