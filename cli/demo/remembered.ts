import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { z } from 'zod'
import { generationDatabase } from '../../clickhouse/generations.ts'
import { type Business, type BusinessOptions, createBusiness } from '../../demo/business.ts'
import { connectReports } from '../../demo/report.ts'
import type { Config } from '../../infra/config.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { createProfile, findProfile } from '../../postgres/stores/tenancy.ts'
import { liveGeneration } from '../../postgres/stores/warehouse.ts'

/** The demo of a home, so that a second run shows the same business and sends nothing again. */
const Remembered = z.object({
  profileId: z.uuid(),
  key: z.string(),
  trackingKey: z.string(),
  seed: z.number(),
  visitors: z.number(),
  until: z.number(),
  /** Of everything the business sends: another version of the simulation is another business. */
  fingerprint: z.string(),
  isSent: z.boolean(),
})
type Remembered = z.infer<typeof Remembered>

export type Demo = Remembered & { database: string; business: Business }

const fileOf = (home: string) => join(home, 'demo.json')
const minuteMs = 60_000

/** The remembered demo when it is the same business, else a profile and a key of its own. */
export async function openDemo(
  config: Config,
  options: Pick<BusinessOptions, 'seed' | 'visitors'> & { fresh?: boolean },
): Promise<Demo> {
  const pool = connectPostgres(config.databaseUrl, { max: 1 })
  try {
    const database = generationDatabase(await liveGeneration(pool))
    const known = options.fresh ? undefined : read(config.home)
    if (known?.seed === options.seed && known.visitors === options.visitors) {
      const business = createBusiness(known)
      const isSame = fingerprintOf(business) === known.fingerprint
      if (isSame && (await findProfile(pool, known.profileId))) return { ...known, database, business }
    }
    return { ...(await begin(pool, config, options)), database }
  } finally {
    await pool.end()
  }
}

async function begin(pool: pg.Pool, config: Config, { seed, visitors }: Pick<BusinessOptions, 'seed' | 'visitors'>) {
  const { profileId } = await createProfile(pool, { name: 'Harbour Bikes (demo)', currency: 'USD', timezone: 'UTC' })
  const { key } = await createApiKey(pool, {
    profileId,
    scopes: ['campaigns:read', 'customers:read', 'conversions:read', 'analytics:read', 'attribution:write'],
    rateLimitPerMinute: 6000,
  })
  const trackingKey = await connectReports({ baseUrl: config.baseUrl, key }).issueTrackingKey()
  const until = Math.floor(Date.now() / minuteMs) * minuteMs
  const business = createBusiness({ seed, visitors, until })
  const fingerprint = fingerprintOf(business)
  const remembered = { profileId, key, trackingKey, seed, visitors, until, fingerprint, isSent: false }
  write(config.home, remembered)
  return { ...remembered, business }
}

const fingerprintOf = (business: Business) => createHash('sha256').update(JSON.stringify(business)).digest('base64url')

export function rememberSent(home: string, demo: Demo): void {
  write(home, { ...Remembered.parse(demo), isSent: true })
}

// It holds a key: nobody else on the machine may read it.
const write = (home: string, demo: Remembered) =>
  writeFileSync(fileOf(home), `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })

function read(home: string): Remembered | undefined {
  try {
    return Remembered.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')))
  } catch {
    return undefined
  }
}
