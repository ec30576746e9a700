import { openDesk } from './desk.ts'
import { takeLinkToken } from './link-token.ts'
import { handedOver, readElement } from './realm.ts'
import { openTracker } from './tracker.ts'

declare const TOUCHLINE_REST: Rest

/** Everything that can wait until a page rests: bundled on its own, as the body of one function (`build.ts`). */
export interface Rest {
  openDesk: typeof openDesk
  openTracker: typeof openTracker
  takeLinkToken: typeof takeLinkToken
  handedOver: typeof handedOver
  readElement: typeof readElement
}

// Handed over by hand: a bundler's way to export uses what a page may have broken.
TOUCHLINE_REST.openDesk = openDesk
TOUCHLINE_REST.openTracker = openTracker
TOUCHLINE_REST.takeLinkToken = takeLinkToken
TOUCHLINE_REST.handedOver = handedOver
TOUCHLINE_REST.readElement = readElement
