import type { ListedConversion } from '../../../clickhouse/queries/goal-conversions.ts'
import { type ConversionDetail, listedConversions } from '../../../clickhouse/queries/listed-conversions.ts'
import type { SearchTerm } from '../../../domain/search-term.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { type CustomerProfile, findCustomerProfiles } from '../../../postgres/stores/customer-profiles.ts'
import { type Engines, findConversions, type Wanted } from './find-conversions.ts'

export interface ConversionOfCustomer extends ConversionDetail {
  customer: { id: string; conversion_count: number; cash_minor: bigint }
  person: CustomerProfile | undefined
}

/** The first conversions of a list, at most `limit`, with all that is shown of them. */
export async function readList(
  engines: Engines,
  wanted: Wanted,
  term: SearchTerm | null,
): Promise<ConversionOfCustomer[]> {
  const { limit } = wanted
  const listed: ConversionOfCustomer[] = []
  for await (const places of findConversions(engines, wanted, term)) {
    for (let from = 0; from < places.length; from += limit) {
      listed.push(...(await conversionsAt(engines, wanted, places.slice(from, from + limit))))
      if (listed.length >= limit) return listed.slice(0, limit)
    }
  }
  return listed
}

/** `credits` has the last word: what it has elsewhere, or of somebody else, stands there in the list. */
async function conversionsAt(
  { clickhouse, postgres }: Engines,
  { profile, goal }: Wanted,
  places: ListedConversion[],
): Promise<ConversionOfCustomer[]> {
  const customers = [...new Set(places.map((place) => place.customer_id))]
  const conversions = places.map((place) => place.conversion_id)
  const [credited, people] = await Promise.all([
    clickhouse.run(listedConversions, { profile, conversions, customers }),
    asProfile(postgres, profile, (tx) => findCustomerProfiles(tx, profile, customers)),
  ])
  const standing = new Map(
    credited.flatMap(({ listed, customer_id: id, ...totals }) =>
      listed.map((detail) => [
        detail.conversion_id,
        { ...detail, customer: { id, ...totals }, person: people.get(id) },
      ]),
    ),
  )
  return places.flatMap(({ conversion_id, customer_id, newest_first }) => {
    const conversion = standing.get(conversion_id)
    const stands =
      conversion?.conversion_type === goal &&
      conversion.customer.id === customer_id &&
      Date.parse(conversion.occurred_at) === -newest_first
    return stands ? conversion : []
  })
}
