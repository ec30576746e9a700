import {
  shopifySignature,
  standardSignature,
  stripeSignature,
  type VerifySignature,
} from '../../domain/hooks/signatures.ts'
import type { HookProvider } from '../../postgres/stores/hook-endpoints.ts'
import { readGeneric } from './generic.ts'
import type { ReadNotification } from './notification.ts'
import { readShopify } from './shopify.ts'
import { readStripe } from './stripe.ts'

/** How each provider signs, and what its notifications mean. */
export const hookProviders: Record<HookProvider, { verify: VerifySignature; read: ReadNotification }> = {
  stripe: { verify: stripeSignature, read: readStripe },
  shopify: { verify: shopifySignature, read: readShopify },
  generic: { verify: standardSignature, read: readGeneric },
}
