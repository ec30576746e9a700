import { connectPostgres } from '../postgres/client.ts'
import { createApiKey } from '../postgres/stores/api-keys.ts'
import { createProfile } from '../postgres/stores/tenancy.ts'
import { issueTrackingKey } from '../postgres/stores/tracking-keys.ts'
import type { Stage } from './stage.ts'

export interface BenchProfile {
  profileId: string
  trackingKey: string
  apiKey: string
}

/** A profile of its own for a line, with keys that no rate limit holds back. */
export async function openProfile({ config }: Stage): Promise<BenchProfile> {
  const pool = connectPostgres(config.databaseUrl, { max: 1 })
  try {
    const { profileId } = await createProfile(pool, { name: 'bench' })
    const { trackingKey } = await issueTrackingKey(pool, profileId)
    const scopes = ['campaigns:read', 'customers:read', 'attribution:write'] as const
    const { key } = await createApiKey(pool, { profileId, scopes: [...scopes], rateLimitPerMinute: 1_000_000 })
    return { profileId, trackingKey: trackingKey.key, apiKey: key }
  } finally {
    await pool.end()
  }
}
