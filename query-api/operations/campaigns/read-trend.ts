import { z } from 'zod'
import { campaignTrend } from '../../../clickhouse/queries/campaign-trend.ts'
import { inCurrencies } from '../../../clickhouse/queries/delivery-currencies.ts'
import { isUuid } from '../../../domain/ids.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { DateRange, Level, page } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { RangeMeta } from './parameters.ts'

const mostEntities = 10

const TrendRow = z
  .object({
    entity_id: z.uuid(),
    date: z.iso.date(),
    spend: z.number().meta({ description: 'In the reporting currency.' }),
    impressions: z.int(),
    clicks: z.int(),
  })
  .meta({ id: 'CampaignTrendRow' })

const EntityIds = z
  .string()
  .transform((list) => [...new Set(list.split(',').map((id) => id.trim().toLowerCase()))])
  .pipe(
    z
      .array(z.string().refine(isUuid, 'must be internal ids (campaign_id of a report), not the platform’s'))
      .max(mostEntities, `at most ${mostEntities} entities are possible`),
  )
  .meta({
    description: `Internal ids (\`campaign_id\` of report rows), comma-separated, at most ${mostEntities}.`,
    examples: ['7b7ef0a6-60ee-4d0e-9d5c-0c5b5a1b9a57'],
  })

export const readTrend = operation({
  id: 'readCampaignTrend',
  method: 'GET',
  url: '/campaigns/trend',
  summary: 'Follow entities day by day',
  description:
    'One row for each entity and day, in the order asked for, zero where nothing was delivered. An id that is none of this profile’s entities at the level has no rows.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  query: DateRange.safeExtend({ entity_ids: EntityIds, level: Level.default('campaign') }),
  response: page(TrendRow, { meta: RangeMeta }),
  handler: async ({ query, profile, clickhouse }) => {
    const { date_from, date_to, entity_ids, level } = query
    const range = { profile: profile.id, currency: profile.reportingCurrency, from: date_from, to: date_to }
    const rows = await inCurrencies(clickhouse, range, (currencies) =>
      clickhouse.run(campaignTrend(level, currencies), { ...range, entities: entity_ids }),
    )
    const data = rows.map(({ spend_minor, ...row }) => ({
      ...row,
      spend: fromMinorAsNumber(spend_minor, profile.reportingCurrency),
    }))
    return { data, meta: { date_from, date_to } }
  },
})
