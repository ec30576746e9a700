import { z } from 'zod'
import type { TrackingKey as Stored } from '../../../postgres/stores/tracking-keys.ts'

export const TrackingKey = z
  .object({
    id: z.uuid(),
    key: z.string().meta({ description: 'What the tracker sends. Public by nature.', examples: ['tl_pub_4fT8…'] }),
    status: z.enum(['active', 'revoked']),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The last hit that was accepted, to the minute, or null while there is none.' }),
  })
  .meta({ id: 'TrackingKey' })

export const toTrackingKey = (stored: Stored): z.infer<typeof TrackingKey> => ({
  id: stored.id,
  key: stored.key,
  status: stored.isActive ? 'active' : 'revoked',
  created_at: stored.createdAt.toISOString(),
  last_seen_at: stored.lastSeenAt?.toISOString() ?? null,
})
