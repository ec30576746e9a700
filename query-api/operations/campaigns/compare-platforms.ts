import { z } from 'zod'
import { inCurrencies } from '../../../clickhouse/queries/delivery-currencies.ts'
import { entityComparison, platformTotals, type Sides } from '../../../clickhouse/queries/platform-comparison.ts'
import { reportedBasis } from '../../../domain/ad-platforms.ts'
import { fromMinor, fromMinorAsNumber } from '../../../domain/money.ts'
import { ratio } from '../../../domain/ratio.ts'
import { DateRange, Level, Model, one } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { creditMinor, knownSpend } from './figures.ts'
import { RangeMeta } from './parameters.ts'

const mostRows = 5000

const decimal = (description: string) => z.string().meta({ description, examples: ['1234.50'] })

const Comparison = {
  spend: z.number().meta({
    description: 'In the reporting currency. Where a part of it has no exchange rate, every ratio of it is null.',
  }),
  platform_conversions: z.number().nullable().meta({ description: 'Null when the platform reported nothing.' }),
  platform_conversion_value: decimal(
    'What the platform claims, in the reporting currency; null when nothing was reported, or when a part of it has no exchange rate.',
  ).nullable(),
  atribu_conversions: z.int().meta({ description: 'Conversions of every kind credited under the model.' }),
  atribu_cash_conversions: z.int().meta({ description: 'Of these, payments.' }),
  atribu_cash_revenue: decimal('Cash credited, refunds subtracted.'),
  conversion_gap: z
    .number()
    .nullable()
    .meta({ description: 'atribu_conversions minus platform_conversions: negative when the platform claims more.' }),
  conversion_gap_pct: z.number().nullable().meta({ description: 'The gap in percent of the platform’s count.' }),
  value_gap: decimal('atribu_cash_revenue minus platform_conversion_value, exact; null when that is null.').nullable(),
  platform_roas: z.number().nullable().meta({
    description: 'The platform’s value by spend; null when platform_conversion_value is null.',
  }),
  atribu_roas: z.number().nullable().meta({ description: 'Credited cash by spend.' }),
}

const PlatformTotal = z
  .object({
    platform: z.string().meta({ examples: ['meta'] }),
    ...Comparison,
    reported_basis: z
      .string()
      .meta({ description: 'The one action type that the platform’s count means.', examples: ['omni_purchase'] }),
    reported_basis_description: z.string(),
    has_delivery: z.boolean().meta({ description: 'Whether any delivery of the range was synced.' }),
    delivery_through: z.iso.date().nullable().meta({ description: 'The last day of the range with delivery.' }),
    unassigned_conversions: z
      .int()
      .meta({ description: 'Credited to paid clicks of the platform that named no entity of the level.' }),
    unassigned_cash_revenue: decimal('Cash credited to such clicks; in no row and not in atribu_cash_revenue.'),
  })
  .meta({ id: 'PlatformTotal' })

const ComparisonRow = z
  .object({
    campaign_id: z.uuid().meta({ description: 'Internal id of the row’s own entity, at every level.' }),
    campaign_name: z.string(),
    entity_level: Level,
    external_id: z.string(),
    platform: z.string(),
    ...Comparison,
  })
  .meta({ id: 'PlatformComparisonRow' })

/** Fractions that platforms report are binary here; six decimals are more than any of them gives. */
const tidy = (value: number) => Math.round(value * 1e6) / 1e6

/** A sum of which a part could not be converted would pass for all that the platform claims. */
const knownClaim = ({ unrated_claims, platform_value_minor }: Sides): bigint | null =>
  unrated_claims > 0 ? null : platform_value_minor

function compare(sides: Sides, currency: string) {
  const spend = fromMinorAsNumber(sides.spend_minor, currency)
  const known = knownSpend(sides, spend)
  const cashMinor = creditMinor(sides.cash_value)
  const claimed = sides.platform_conversions === null ? null : tidy(sides.platform_conversions)
  const claimedMinor = knownClaim(sides)
  const gap = claimed === null ? null : tidy(sides.conversions - claimed)
  return {
    spend,
    platform_conversions: claimed,
    platform_conversion_value: claimedMinor === null ? null : fromMinor(claimedMinor, currency),
    atribu_conversions: sides.conversions,
    atribu_cash_conversions: sides.cash_count,
    atribu_cash_revenue: fromMinor(cashMinor, currency),
    conversion_gap: gap,
    conversion_gap_pct: gap === null || claimed === null ? null : ratio(gap * 100, claimed),
    value_gap: claimedMinor === null ? null : fromMinor(cashMinor - claimedMinor, currency),
    platform_roas: claimedMinor === null ? null : ratio(fromMinorAsNumber(claimedMinor, currency), known),
    atribu_roas: ratio(fromMinorAsNumber(cashMinor, currency), known),
  }
}

export const comparePlatforms = operation({
  id: 'comparePlatforms',
  method: 'GET',
  url: '/campaigns/platform-comparison',
  summary: 'Hold what ad platforms claim against what was credited',
  description: `Totals by platform, and one row an entity, highest spend first, at most ${mostRows.toLocaleString('en-US')} (\`meta.row_count\` says how many there are). The two sides count the same sales in different ways: they are compared, never added up. A conversion that two entities of a platform share counts once in its total.`,
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  query: DateRange.safeExtend({ model: Model.default('last_touch'), level: Level.default('campaign') }),
  response: one(
    z.object({ platforms: z.array(PlatformTotal), rows: z.array(ComparisonRow) }).meta({ id: 'PlatformComparison' }),
    { meta: { ...RangeMeta, row_count: z.int() } },
  ),
  handler: async ({ query, profile, clickhouse }) => {
    const { date_from, date_to, model, level } = query
    const currency = profile.reportingCurrency
    const range = { profile: profile.id, currency, from: date_from, to: date_to }
    const [platforms, rows] = await inCurrencies(clickhouse, range, (currencies) =>
      Promise.all([
        clickhouse.run(platformTotals(model, level, currencies), range),
        clickhouse.run(entityComparison(model, level, currencies), { ...range, limit: mostRows }),
      ]),
    )
    return {
      data: {
        platforms: platforms.map(({ platform, delivery_through, unassigned_count, unassigned_value, ...sides }) => {
          const { actionType, meaning } = reportedBasis(platform)
          return {
            platform,
            ...compare(sides, currency),
            reported_basis: actionType,
            reported_basis_description: meaning,
            has_delivery: delivery_through !== null,
            delivery_through,
            unassigned_conversions: unassigned_count,
            unassigned_cash_revenue: fromMinor(creditMinor(unassigned_value), currency),
          }
        }),
        rows: rows.map(({ entity_id, platform, external_id, name, row_count, ...sides }) => ({
          campaign_id: entity_id,
          campaign_name: name,
          entity_level: level,
          external_id,
          platform,
          ...compare(sides, currency),
        })),
      },
      meta: { date_from, date_to, row_count: rows[0]?.row_count ?? 0 },
    }
  },
})
