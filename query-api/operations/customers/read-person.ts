import type pg from 'pg'
import type { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { customerTotals } from '../../../clickhouse/queries/customer-totals.ts'
import { newestConversions } from '../../../clickhouse/queries/newest-conversions.ts'
import type { Profile } from '../../../domain/credentials.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findPerson, fullName } from '../../../postgres/stores/customer-profiles.ts'
import { type JourneyPerson, mostConversions } from './journey-schemas.ts'

interface Deps {
  postgres: pg.Pool
  clickhouse: Warehouse
  profile: Profile
}

/** Who a journey is of; an anonymous visitor has conversions and no name. */
export async function readPerson(
  { postgres, clickhouse, profile }: Deps,
  customer: string,
): Promise<z.input<typeof JourneyPerson>> {
  const [person, [totals], conversions] = await Promise.all([
    asProfile(postgres, profile.id, (tx) => findPerson(tx, profile.id, customer)),
    clickhouse.run(customerTotals, { profile: profile.id, customers: [customer] }),
    clickhouse.run(newestConversions, { profile: profile.id, customer, limit: mostConversions }),
  ])
  const money = (minor: bigint | null | undefined) => fromMinorAsNumber(minor ?? 0n, profile.reportingCurrency)
  return {
    customer_profile_id: customer,
    name: person && fullName(person),
    first_name: person?.firstName ?? null,
    last_name: person?.lastName ?? null,
    identifiers: person?.identifiers ?? [],
    counts: {
      conversions: totals?.conversion_count ?? 0,
      identifiers: person?.identifierCount ?? 0,
      browsers: person ? person.browserCount : 1,
    },
    total_revenue: money(totals?.cash_minor),
    conversions: conversions.map((row) => ({
      conversion_id: row.conversion_id,
      outcome_event_id: row.outcome_id,
      conversion_type: row.conversion_type,
      conversion_time: row.occurred_at,
      revenue_type: row.revenue_type,
      revenue: money(row.net_minor),
    })),
  }
}
