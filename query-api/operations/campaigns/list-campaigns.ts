import { z } from 'zod'
import { campaignSorts } from '../../../clickhouse/queries/campaign-report.ts'
import { Cursor, decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { DateRange, Level, limit, Model, page } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { CampaignRow, LevelRow, toCampaignRow, toLevelRow } from './entity-row.ts'
import { deliveredAs, Platform, RangeMeta } from './parameters.ts'
import { readCampaigns } from './report-reads.ts'

const digits = z.string().regex(/^-?\d{1,38}$/)
/** Rank, spend and id of the last row. */
const Place = z.tuple([digits, z.string().regex(/^-?\d{1,18}$/), z.uuid()])

export const listCampaigns = operation({
  id: 'listCampaigns',
  method: 'GET',
  url: '/campaigns',
  summary: 'Report what campaigns, ad sets or ads cost and earned',
  description:
    'Ranked by credited cash, equal ones by spend. An entity is listed when it delivered or earned anything in the range. With `level` each row carries delivery figures and its parents as well. Figures of different models are never added up.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  query: DateRange.safeExtend({
    model: Model.default('last_touch'),
    level: Level.optional(),
    limit: limit({ default: 10, max: 100 }),
    platform: Platform,
    sort: z
      .enum(campaignSorts)
      .default('outcome_value')
      .meta({ description: 'What rows are ranked by, highest first.' }),
    cursor: Cursor,
  }),
  response: page(z.union([LevelRow, CampaignRow]), { meta: RangeMeta }),
  handler: async ({ query, profile, clickhouse }) => {
    const { date_from, date_to, model, level, limit, platform, sort, cursor } = query
    const list = [profile.id, date_from, date_to, model, level ?? 'campaign', platform, sort]
    const range = { profile: profile.id, currency: profile.reportingCurrency, from: date_from, to: date_to }
    const found = await readCampaigns(clickhouse, range, {
      ...{ model, level: level ?? 'campaign', sort },
      platforms: deliveredAs(platform),
      after: cursor === undefined ? undefined : decodeCursor(list, Place, cursor),
      limit: limit + 1,
    })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const hasNext = found.length > limit && last !== undefined
    const { reportingCurrency } = profile
    return {
      data: rows.map((row) =>
        level ? toLevelRow(row, level, reportingCurrency) : toCampaignRow(row, reportingCurrency),
      ),
      pagination: {
        has_next: hasNext,
        cursor: hasNext ? encodeCursor(list, [String(last.rank), String(last.spend_minor), last.entity_id]) : null,
      },
      meta: { date_from, date_to },
    }
  },
})
