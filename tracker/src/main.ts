import type { Desk } from './desk.ts'
import { whenIdle } from './idle.ts'
import { guard, on } from './navigation.ts'
import type { Rest } from './rest.ts'
import type { Api } from './settings.ts'

declare const TOUCHLINE_UNPACK: () => Rest

/**
 * Next to nothing while the page loads: it listens whether the page is hidden, which every browser of today also says of
 * one that is left. The loader keeps calls until the page rests for the first time.
 * Each first use of something costs a page more than the work itself, so what can wait is not even made: it stands in a
 * function that runs later.
 */
function start(): void {
  const page = window as Window & { touchline?: Api }
  let unpacked: Rest | undefined
  const rest = (): Rest => {
    unpacked ??= TOUCHLINE_UNPACK()
    return unpacked
  }
  const found = page.touchline
  // Not asked where there is something: to look for what a page does not have is dear.
  if (!found && rest().handedOver(rest().openTracker)) return
  // A page that has an element called touchline shows it under that name.
  const api: Api = found && typeof found.push === 'function' ? found : ([] as unknown as Api)
  if (api.isLoaded) return
  api.isLoaded = true
  // The newer loader has taken the token, says where the script is and keeps calls with their moments.
  const { src } = api
  const element = src ? { src } : rest().readElement()
  const token = src ? api.token : api.token || guard(rest().takeLinkToken)(page)

  let desk: Desk | undefined
  const takeOver = (): Desk => {
    desk ??= rest().openDesk(page, api, { element, token })
    return desk
  }
  const hide = () => {
    if (page.document.visibilityState === 'hidden') takeOver().leave()
  }
  try {
    page.addEventListener('visibilitychange', guard(hide), true)
  } catch {
    on(page, 'visibilitychange', hide)
  }
  if (!src) {
    takeOver()
    return
  }
  api.visitorId = guard(() => takeOver().visitorId())
  whenIdle(takeOver)
}

try {
  start()
} catch {
  // The page comes first.
}
