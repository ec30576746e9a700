import { changeSettings } from './change-settings.ts'
import { listCustomDomains } from './list-custom-domains.ts'
import { listEvents } from './list-events.ts'
import { readOps } from './read-ops.ts'
import { readOrigin } from './read-origin.ts'
import { readQuality } from './read-quality.ts'
import { readSettings } from './read-settings.ts'
import { readSnippet } from './read-snippet.ts'
import { readShopifyPixel, readStorePixel } from './read-store-pixel.ts'
import { readTagManagerContainer } from './read-tag-manager-container.ts'
import { readVerification } from './read-verification.ts'
import { registerCustomDomain } from './register-custom-domain.ts'
import { removeCustomDomain } from './remove-custom-domain.ts'
import { startVerification } from './start-verification.ts'
import { verifyCustomDomain } from './verify-custom-domain.ts'

/** The operations that know the tracker; the description lists them in this order. */
export const trackingOperations = [
  readSnippet,
  readTagManagerContainer,
  readShopifyPixel,
  readStorePixel,
  readOrigin,
  readSettings,
  changeSettings,
  listCustomDomains,
  registerCustomDomain,
  removeCustomDomain,
  verifyCustomDomain,
  readVerification,
  startVerification,
  readQuality,
  readOps,
  listEvents,
]
