import { z } from 'zod'
import { findEntity } from '../../../clickhouse/queries/find-entity.ts'
import { ApiError, DateRange, Level, Model, one } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { LevelRow, toLevelRow } from './entity-row.ts'
import { deliveredAs, Platform, RangeMeta } from './parameters.ts'
import { readEntity } from './report-reads.ts'

const AdRow = LevelRow.extend({
  learning_stage_status: z
    .string()
    .nullable()
    .meta({ description: 'LEARNING, SUCCESS or FAIL, of ad sets only.', examples: ['LEARNING'] }),
  campaign_objective: z.string().nullable().meta({ description: 'Objective of the campaign, of ad sets only.' }),
}).meta({ id: 'AdRow' })

export const readAd = operation({
  id: 'readAd',
  method: 'GET',
  url: '/ads/:id',
  summary: 'Report what one ad, ad set or campaign cost and earned',
  description:
    'The id is the internal one (`campaign_id` of a report row) or the platform’s own. Figures are zero where nothing happened in the range.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  params: z.object({ id: z.string().meta({ description: 'Internal id, or the platform’s id.' }) }),
  query: DateRange.safeExtend({
    model: Model.default('last_touch'),
    level: Level.default('ad'),
    platform: Platform.meta({ description: 'The platform, should two of them use the same id.' }),
  }),
  response: one(AdRow, { meta: RangeMeta }),
  errors: ['not_found'],
  handler: async ({ params, query, profile, clickhouse }) => {
    const { date_from, date_to, model, level, platform } = query
    const asked = { profile: profile.id, id: params.id, platforms: deliveredAs(platform) }
    const [found] = await clickhouse.run(findEntity(level), asked)
    if (!found) throw new ApiError('not_found', 'There is no such entity at this level.')
    const range = { profile: profile.id, currency: profile.reportingCurrency, from: date_from, to: date_to }
    const row = await readEntity(clickhouse, range, { model, level, entity: found.entity_id })
    const isAdSet = level === 'ad_set'
    return {
      data: {
        ...toLevelRow(row, level, profile.reportingCurrency),
        learning_stage_status: isAdSet ? row.learning_stage_status || null : null,
        campaign_objective: isAdSet ? row.campaign_objective || null : null,
      },
      meta: { date_from, date_to },
    }
  },
})
