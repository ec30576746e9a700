import { sendBusiness } from '../../../cli/demo/send-business.ts'
import { drain } from '../../../cli/drain.ts'
import { scoreNow } from '../../../cli/performers.ts'
import { type Business, createBusiness } from '../../../demo/business.ts'
import { scopes } from '../../../domain/scopes.ts'
import type { Config } from '../../../infra/config.ts'
import { connectPostgres } from '../../../postgres/client.ts'
import { createApiKey } from '../../../postgres/stores/api-keys.ts'
import { createProfile } from '../../../postgres/stores/tenancy.ts'
import { issueTrackingKey } from '../../../postgres/stores/tracking-keys.ts'

export interface Tenant {
  profileId: string
  workspaceId: string
  dateFrom: string
  dateTo: string
}

/** A profile with a whole business in it, sent through the collectors and processed. */
export async function openTenant(config: Config, seed: number): Promise<Tenant> {
  const pool = connectPostgres(config.databaseUrl, { max: 2 })
  try {
    const { profileId, workspaceId } = await createProfile(pool, { name: `business ${seed}` })
    const { key } = await createApiKey(pool, { profileId, scopes, rateLimitPerMinute: 100_000 })
    const { trackingKey } = await issueTrackingKey(pool, profileId)
    const business = withOwnIds(createBusiness({ seed, visitors: 40, until: Date.now() - 60_000 }), seed)
    await sendBusiness(config, { profileId, key, trackingKey: trackingKey.key, business } as never)
    return { profileId, workspaceId, dateFrom: business.dateFrom, dateTo: business.dateTo }
  } finally {
    await pool.end()
  }
}

/** The simulation names its ads alike in every business; here the two must not. */
const withOwnIds = (business: Business, seed: number): Business =>
  JSON.parse(JSON.stringify(business).replace(/(?<=["=])\d(?=\d{8,}["&])/g, String(seed)))

export async function settle(config: Config): Promise<void> {
  await drain(config, { timeoutMs: 300_000 })
  const pool = connectPostgres(config.databaseUrl, { max: 2 })
  await scoreNow(pool, config.clickhouseUrl, {}).finally(() => pool.end())
}
