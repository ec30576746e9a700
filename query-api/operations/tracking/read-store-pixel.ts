import { z } from 'zod'
import { inlineJson } from '../../../domain/snippet.ts'
import { consentModes, isAllowedOrigin, noOrigin } from '../../../domain/tracking-settings.ts'
import { one } from '../../../http/operation.ts'
import { installationOf } from '../../tracking/install.ts'
import { operation } from '../../tracking-operation.ts'

const StorePixel = z
  .object({
    name: z.string().meta({ examples: ['Touchline'] }),
    code: z.string().meta({ description: 'The code of a custom pixel, for the store’s customer-event settings.' }),
    events: z.array(z.string()).meta({ description: 'Events of the store that it subscribes to.' }),
    customer_privacy: z
      .object({
        permission: z.enum(consentModes),
        purposes: z.array(z.string()),
        data_sale: z.string(),
      })
      .meta({ id: 'StorePixelPrivacy', description: 'What to choose in the pixel’s privacy settings.' }),
    tracking_key: z.string(),
    collect_url: z.url(),
    is_origin_allowed: z.boolean().meta({
      description:
        'Whether its hits are taken: the store runs it in a frame without an origin. Where false, add `null` to the allowed_origins of the settings.',
    }),
  })
  .meta({ id: 'StorePixel' })

const storePixel = (id: string, url: '/tracking/installers/shopify-pixel' | '/tracking/installers/store-pixel') =>
  operation({
    id,
    method: 'GET',
    url,
    summary: 'Read the payload of a store web pixel',
    description:
      'It runs in the store’s sandbox and reports page views, started and completed checkouts with the visitor of the storefront’s tracker. A completed checkout is an event of its own type: payments come from the store’s or the payment provider’s connection, and would otherwise count twice.',
    tags: ['Tracking'],
    scopes: ['analytics:read', 'attribution:write'],
    response: one(StorePixel),
    errors: ['invalid_state'],
    handler: async ({ profile, postgres, tracker, trackerUrl }) => {
      const { settings, key, allowedOrigins } = await installationOf(postgres, profile.id, { tracker, trackerUrl })
      return {
        name: 'Touchline',
        code: tracker.storePixel.replace('TOUCHLINE_SETTINGS', () => inlineJson(settings)),
        events: ['page_viewed', 'checkout_started', 'checkout_completed'],
        customer_privacy: {
          permission: settings.consent,
          purposes: settings.consent === 'required' ? ['analytics', 'marketing'] : [],
          data_sale: 'not_sold',
        },
        tracking_key: key,
        collect_url: settings.url,
        is_origin_allowed: isAllowedOrigin(allowedOrigins, noOrigin),
      }
    },
  })

/** The same payload under a provider's name and a neutral one (SPEC 4.5). */
export const readShopifyPixel = storePixel('readShopifyPixel', '/tracking/installers/shopify-pixel')
export const readStorePixel = storePixel('readStorePixel', '/tracking/installers/store-pixel')
