import type { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { type adReferences, namedAds } from '../../../clickhouse/queries/named-ads.ts'

type References = z.infer<z.ZodObject<typeof adReferences>>

export interface NamedAd {
  campaignExternalId: string | null
  adSetExternalId: string | null
  adExternalId: string | null
  campaignName: string | null
  joinMethod: string
}

/** Strongest first, as the credit is joined (clickhouse/attribution): the first that leads to one entity counts. */
const namings: { of: keyof References; kind: 'ad' | 'ad_set' | 'campaign' | 'campaign_name'; joinMethod: string }[] = [
  { of: 'ad_ref', kind: 'ad', joinMethod: 'service_ad_id' },
  { of: 'ad_set_ref', kind: 'ad_set', joinMethod: 'service_ad_set_id' },
  { of: 'campaign_ref', kind: 'campaign', joinMethod: 'service_campaign_id' },
  { of: 'tag_content', kind: 'ad', joinMethod: 'utm_ad_id' },
  { of: 'tag_term', kind: 'ad_set', joinMethod: 'utm_ad_set_id' },
  { of: 'tag_id', kind: 'campaign', joinMethod: 'utm_campaign_id' },
  { of: 'tag_campaign', kind: 'campaign_name', joinMethod: 'campaign_name' },
]

/** Which ad each of them names: one look-up for all. */
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
