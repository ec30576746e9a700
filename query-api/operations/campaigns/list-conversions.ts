import { z } from 'zod'
import { conversionCredit } from '../../../clickhouse/queries/conversion-credit.ts'
import { conversionPage } from '../../../clickhouse/queries/conversion-page.ts'
import { entityNames } from '../../../clickhouse/queries/entity-names.ts'
import { noId } from '../../../domain/ids.ts'
import { levels } from '../../../domain/models.ts'
import { Cursor, decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { ApiError, DateRange, limit, Model, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { customerNames } from '../../../postgres/stores/customer-names.ts'
import { operation } from '../../operation.ts'
import { ConversionRow, type ReadConversion, toConversionRow } from './conversion-row.ts'
import { RangeMeta } from './parameters.ts'

/** Day, time and id of the last row. */
const Place = z.tuple([z.iso.date(), z.string().regex(/^-?\d{1,15}$/), z.uuid()])

const entity = (name: string) =>
  z
    .uuid()
    .optional()
    .meta({ description: `Only conversions that the ${name} earned; its internal id. At most one entity.` })

/**
 * Credit is published a moment after the report row. A page ends before the first row that has none yet, so that the
 * next one finds it; only at the head of a page such rows are passed over, so that a reader always gets on.
 */
function untilUnpublished<Row>(rows: Row[], isPublished: (row: Row) => boolean): Row[] {
  const head = rows.findIndex(isPublished)
  if (head < 0) return rows
  const end = rows.findIndex((row, at) => at > head && !isPublished(row))
  return end < 0 ? rows : rows.slice(0, end)
}

export const listConversions = operation({
  id: 'listCampaignConversions',
  method: 'GET',
  url: '/campaigns/conversions',
  summary: 'List the conversions behind a figure',
  description:
    'Newest first, each with the touches that earned its credit. For one entity: the conversions that the model credits it with, as many as its row of the report counts. Without an entity: every conversion of the range, uncredited ones with a credit of 0. Follow the cursor while `has_next` is true; a page can hold fewer rows than `limit` when paths are long.',
  tags: ['Campaigns'],
  scopes: ['campaigns:read'],
  readsPersons: true,
  query: DateRange.safeExtend({
    model: Model.default('last_touch'),
    campaign_id: entity('campaign'),
    ad_set_id: entity('ad set'),
    ad_id: entity('ad'),
    conversion_type: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Only conversions of this type.', examples: ['payment_received'] }),
    limit: limit({ default: 50, max: 200 }),
    cursor: Cursor,
  }),
  response: page(ConversionRow, { meta: RangeMeta }),
  handler: async ({ query, profile, credential, clickhouse, postgres, persons }) => {
    const { date_from, date_to, model, conversion_type, limit, cursor } = query
    const entities = levels.filter((level) => query[`${level}_id`] !== undefined)
    if (entities.length > 1)
      throw new ApiError('invalid_parameter', `${entities[1]}_id: at most one entity can be asked for.`)
    const [level] = entities
    const id = level && query[`${level}_id`]
    const list = [profile.id, date_from, date_to, model, level, id, conversion_type]
    const [after_day, after_ms, after_id] =
      cursor === undefined ? [date_to, '0', ''] : decodeCursor(list, Place, cursor)
    if (after_day < date_from || after_day > date_to)
      throw new ApiError('invalid_parameter', 'cursor: is of other days.')
    const entity = id ?? noId
    const found = await clickhouse.run(conversionPage(model, level), {
      ...{ profile: profile.id, from: date_from, to: date_to, entity, type: conversion_type ?? '' },
      ...{ after_day, after_ms, after_id, limit: limit + 1 },
    })
    const asked = found.slice(0, limit)
    const credits = await creditOf(asked.map((row) => row.conversion_id))
    const conversions = untilUnpublished(asked, (row) => credits.has(row.conversion_id))
    const known = conversions.flatMap((row) => {
      const credit = credits.get(row.conversion_id)
      return credit ? [{ ...row, ...credit }] : []
    })
    const rows = known.filter((row) => !row.is_over)
    const isCut = rows.length < known.length
    const [names, people] = await Promise.all([
      namesOfEntities(rows),
      // Nobody's partner holds it on a healthcare profile: the frame sees to that.
      credential.scopes.has('customers:read') ? namesOfPeople(rows) : undefined,
    ])
    persons(people ? new Set(rows.map((row) => row.customer_id)).size : 0)
    const last = isCut ? rows.at(-1) : conversions.at(-1)
    const hasNext = (isCut || found.length > conversions.length) && last !== undefined
    return {
      data: rows.map((row) => ({
        ...toConversionRow(row, profile.reportingCurrency, names),
        ...(people && { customer_profile_id: row.customer_id, customer_name: people.get(row.customer_id) ?? null }),
      })),
      pagination: {
        has_next: hasNext,
        cursor: hasNext ? encodeCursor(list, [last.day, String(last.occurred_ms), last.conversion_id]) : null,
      },
      meta: { date_from, date_to },
    }

    async function creditOf(conversions: string[]) {
      const asked = { profile: profile.id, entity, conversions }
      const rows = conversions.length === 0 ? [] : await clickhouse.run(conversionCredit(model, level), asked)
      return new Map(rows.map((row) => [row.conversion_id, row]))
    }

    async function namesOfEntities(rows: ReadConversion[]): Promise<Map<string, string>> {
      const touches = rows.flatMap((row) => row.touches)
      const ids = new Set(touches.flatMap((touch) => [touch.campaign_id, touch.ad_set_id, touch.ad_id]))
      ids.delete(noId)
      if (ids.size === 0) return new Map()
      const found = await clickhouse.run(entityNames, { profile: profile.id, entities: [...ids] })
      return new Map(found.map(({ entity_id, name }) => [entity_id, name]))
    }

    function namesOfPeople(rows: ReadConversion[]): Promise<Map<string, string>> {
      const ids = [...new Set(rows.map((row) => row.customer_id))]
      return asProfile(postgres, profile.id, (tx) => customerNames(tx, profile.id, ids))
    }
  },
})
