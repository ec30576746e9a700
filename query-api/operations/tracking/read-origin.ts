import { z } from 'zod'
import { collectPath, trackerPath } from '../../../domain/tracker-paths.ts'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { trackedHost } from '../../../postgres/stores/custom-domains.ts'
import { originOf } from '../../tracking/install.ts'
import { operation } from '../../tracking-operation.ts'

const TrackingOrigin = z
  .object({
    origin: z.url().meta({ examples: ['https://t.example.com'] }),
    collect_url: z.url(),
    script_url: z.url(),
    source: z.enum(['custom_domain', 'default']),
    custom_domain: z.string().nullable().meta({ description: 'The verified domain in use, if any.' }),
  })
  .meta({ id: 'TrackingOrigin' })

export const readOrigin = operation({
  id: 'readTrackingOrigin',
  method: 'GET',
  url: '/tracking/origin',
  summary: 'Read where the profile’s tracker collects',
  tags: ['Tracking'],
  scopes: ['analytics:read', 'attribution:write'],
  response: one(TrackingOrigin),
  handler: async ({ profile, postgres, trackerUrl }) => {
    const host = await asProfile(postgres, profile.id, (tx) => trackedHost(tx, profile.id))
    const { origin, customDomain } = originOf(trackerUrl, host)
    return {
      origin,
      collect_url: origin + collectPath,
      script_url: origin + trackerPath,
      source: customDomain ? ('custom_domain' as const) : ('default' as const),
      custom_domain: customDomain,
    }
  },
})
