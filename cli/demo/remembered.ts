import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { generationDatabase } from '../../clickhouse/migrate.ts'
import type { BusinessOptions } from '../../demo/business.ts'
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
  isSent: z.boolean(),
})
type Remembered = z.infer<typeof Remembered>

export type Demo = Remembered & { database: string }

const fileOf = (home: string) => join(home, 'demo.json')
const minuteMs = 60_000

/** The remembered demo when it is the same business, else a profile and a key of its own. */
export async function openDemo(
  config: Config,
  options: Pick<BusinessOptions, 'seed' | 'visitors'> & { fresh?: boolean },
): Promise<Demo> {
  const { seed, visitors } = options
  const pool = connectPostgres(config.databaseUrl, { max: 1 })
  try {
    const database = generationDatabase(await liveGeneration(pool))
    const known = options.fresh ? undefined : read(config.home)
    const isSame = known?.seed === seed && known.visitors === visitors
    if (known && isSame && (await findProfile(pool, known.profileId))) return { ...known, database }
    const { profileId } = await createProfile(pool, { name: 'Harbour Bikes (demo)', currency: 'USD', timezone: 'UTC' })
    const { key } = await createApiKey(pool, {
      profileId,
      scopes: ['campaigns:read', 'customers:read', 'conversions:read', 'analytics:read', 'attribution:write'],
      rateLimitPerMinute: 6000,
    })
    const trackingKey = await connectReports({ baseUrl: config.baseUrl, key }).issueTrackingKey()
    const until = Math.floor(Date.now() / minuteMs) * minuteMs
    const demo = { profileId, key, trackingKey, seed, visitors, until, isSent: false }
    write(config.home, demo)
    return { ...demo, database }
  } finally {
    await pool.end()
  }
}

export function rememberSent(home: string, { database: _, ...demo }: Demo): void {
  write(home, { ...demo, isSent: true })
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
