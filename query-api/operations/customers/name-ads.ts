import type { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { type adReferences, namedAds } from '../../../clickhouse/queries/named-ads.ts'
import { namings } from '../../../domain/ad-references.ts'

type References = z.infer<z.ZodObject<typeof adReferences>>

export interface NamedAd {
  campaignExternalId: string | null
  adSetExternalId: string | null
  adExternalId: string | null
  campaignName: string | null
  joinMethod: string
}

/** Which ad each of them names, as the credit is joined (clickhouse/attribution/join-ads.ts): one look-up for all. */
export async function nameAds<Row extends References>(
  clickhouse: Warehouse,
  profile: string,
  rows: readonly Row[],
): Promise<(row: Row) => NamedAd | null> {
  const values = [...new Set(rows.flatMap((row) => namings.map(({ of }) => row[of])))].filter((value) => value !== '')
  const found = values.length === 0 ? [] : await clickhouse.run(namedAds, { profile, values })
  const entities = new Map(found.map((entity) => [`${entity.kind}:${entity.value}`, entity]))
  return (row) => {
    for (const { of, kind, joinMethod } of namings) {
      const entity = row[of] === '' ? undefined : entities.get(`${kind}:${row[of]}`)
      if (!entity) continue
      return {
        campaignExternalId: entity.campaign_external_id,
        adSetExternalId: entity.ad_set_external_id,
        adExternalId: entity.ad_external_id,
        campaignName: entity.campaign_name,
        joinMethod,
      }
    }
    return null
  }
}
