import { z } from 'zod'
import { unattributedReport } from '../../../clickhouse/queries/unattributed-report.ts'
import { DateRange, Level, Model, one } from '../../../http/operation.ts'
import { operation } from '../../operation.ts'
import { Outcomes, outcomeFigures } from './figures.ts'
import { RangeMeta } from './parameters.ts'

export const readUnattributed = operation({
  id: 'readUnattributed',
  method: 'GET',
  url: '/campaigns/unattributed',
  summary: 'Read the remainder that no entity earned',
  description:
    'Conversions credited to no entity of the level. Under a single-credit model the campaign rows and this remainder add up to the profile’s total.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  query: DateRange.safeExtend({ model: Model.default('last_touch'), level: Level.default('campaign') }),
  response: one(z.object(Outcomes).meta({ id: 'Unattributed' }), {
    meta: RangeMeta,
  }),
  handler: async ({ query, profile, clickhouse }) => {
    const { date_from, date_to, model, level } = query
    const [row] = await clickhouse.run(unattributedReport(model, level), {
      profile: profile.id,
      from: date_from,
      to: date_to,
    })
    return { data: outcomeFigures(row!, profile.reportingCurrency), meta: { date_from, date_to } }
  },
})
