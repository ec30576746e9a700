import { connectClickhouse, type Warehouse } from '../../clickhouse/client.ts'
import { generationDatabase } from '../../clickhouse/generations.ts'
import { campaignCredit } from '../../clickhouse/replay/campaign-credit.ts'
import { type Model, models } from '../../domain/models.ts'
import { everyProfile } from '../../postgres/stores/profiles.ts'
import type { ReplayDeps } from './deps.ts'

/** Credit of a campaign under a model that a replay would change. Values are exact: minor units times billionths. */
export interface MovedCredit {
  profileId: string
  campaignId: string
  campaign: string
  model: Model
  before: { count: number; value: bigint }
  after: { count: number; value: bigint }
}

const always = { from: '1970-01-01', to: '2149-06-06' }
const nothing = { count: 0, value: 0n }

export async function compareCredit(
  { clickhouseUrl, postgres, signal }: ReplayDeps,
  live: number,
  fresh: Warehouse,
  profile: string | null,
): Promise<MovedCredit[]> {
  const standing = connectClickhouse({ url: clickhouseUrl, database: () => generationDatabase(live) })
  const moved: MovedCredit[] = []
  try {
    for (const profileId of profile ? [profile] : await everyProfile(postgres)) {
      for (const model of models) {
        signal.throwIfAborted()
        const [before, after] = [await credit(standing, profileId, model), await credit(fresh, profileId, model)]
        for (const campaignId of new Set([...before.keys(), ...after.keys()])) {
          const [was, is] = [before.get(campaignId), after.get(campaignId)]
          if (was?.count === is?.count && was?.value === is?.value) continue
          const campaign = is?.name || was?.name || campaignId
          moved.push({ profileId, campaignId, campaign, model, before: was ?? nothing, after: is ?? nothing })
        }
      }
    }
    return moved
  } finally {
    await standing.close()
  }
}

async function credit(warehouse: Warehouse, profile: string, model: Model) {
  const rows = await warehouse.run(campaignCredit(model), { profile, ...always })
  return new Map(
    rows.map((row) => [row.campaign_id, { name: row.name, count: row.outcome_count, value: row.outcome_value }]),
  )
}
