import type { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { customerTouches } from '../../../clickhouse/queries/customer-touches.ts'
import { journeyHits, journeyOutcomes } from '../../../clickhouse/queries/journey-events.ts'
import { journeyPage } from '../../../clickhouse/queries/journey-page.ts'
import { customerSubjects, endOfTime } from '../../../clickhouse/queries/subjects-of-customer.ts'
import { touchCreditOfConversion, touchCreditOfCustomer } from '../../../clickhouse/queries/touch-credit.ts'
import { wholeWeight } from '../../../domain/credit-reference.ts'
import { models } from '../../../domain/models.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import type { Credit, JourneyEvent, JourneyTouch } from './journey-schemas.ts'
import { nameAds } from './name-ads.ts'

export interface JourneyOf {
  profile: string
  customer: string
  limit: number
  offset: number
  /** Epoch milliseconds of the conversion that the journey leads to. */
  until?: number
}

export interface ReadEvent {
  id: string
  /** It started a session, or stands for an off-site click: attribution looks at it. */
  isTouch: boolean
  event: z.input<typeof JourneyEvent>
}

/** A page of the events, and how many there are. */
export async function readEvents(
  clickhouse: Warehouse,
  { until = endOfTime, profile, customer, limit, offset }: JourneyOf,
): Promise<{ events: ReadEvent[]; total_count: number }> {
  const known = await clickhouse.run(customerSubjects, { profile, customer })
  const subjects = known.map(({ subject_id }) => subject_id)
  const page = (limit: number, offset: number) =>
    clickhouse.run(journeyPage, { profile, subjects, until, limit, offset })
  const listed = await page(limit, offset)
  const total_count = await countOf(listed, offset, () => page(1, 0))
  const rows = await readRows(clickhouse, profile, listed)
  const adOf = await nameAds(clickhouse, profile, rows)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const events = listed.flatMap(({ id }) => {
    const row = byId.get(id)
    if (!row) return []
    const { amount_minor, currency } = row
    const { ad_ref, ad_set_ref, campaign_ref, tag_content, tag_term, tag_id, tag_campaign, ...event } = row
    const value_amount = amount_minor === null || currency === null ? null : fromMinorAsNumber(amount_minor, currency)
    const campaign = adOf(row)?.campaignName ?? (tag_campaign || null)
    return { id, isTouch: row.is_touch, event: { ...event, campaign, value_amount } }
  })
  return { events, total_count }
}

interface Listed {
  is_outcome: boolean
  subject_id: string
  id: string
}

/** What stands on a page, in full: hits and outcomes side by side, and only the kinds that are there. */
async function readRows(clickhouse: Warehouse, profile: string, listed: Listed[]) {
  const subjects = [...new Set(listed.map((row) => row.subject_id))]
  const idsOf = (isOutcome: boolean) => listed.flatMap((row) => (row.is_outcome === isOutcome ? row.id : []))
  const [hits, outcomes] = [idsOf(false), idsOf(true)]
  const rows = await Promise.all([
    hits.length > 0 ? clickhouse.run(journeyHits, { profile, subjects, hits }) : [],
    outcomes.length > 0 ? clickhouse.run(journeyOutcomes, { profile, subjects, outcomes }) : [],
  ])
  return rows.flat()
}

/** A page of the touches with what they earned: of one conversion, or of all that the customer had. */
export async function readTouches(
  clickhouse: Warehouse,
  { until = endOfTime, conversion, ...journey }: JourneyOf & { conversion?: string },
): Promise<{ events: z.input<typeof JourneyTouch>[]; total_count: number }> {
  const page = (part: Partial<JourneyOf>) => clickhouse.run(customerTouches, { ...journey, until, ...part })
  const rows = await page({})
  const total_count = await countOf(rows, journey.offset, () => page({ limit: 1, offset: 0 }))
  if (rows.length === 0) return { events: [], total_count }
  const touches = rows.map((row) => row.touch_id)
  const [credits, adOf] = await Promise.all([
    readCredit(clickhouse, { ...journey, touches, conversion }),
    nameAds(clickhouse, journey.profile, rows),
  ])
  const events = rows.map((row) => {
    const ad = adOf(row)
    const credit = credits.get(row.touch_id)
    return {
      touch_id: row.touch_id,
      touch_time: row.touch_time,
      channel: row.channel,
      campaign_external_id: ad?.campaignExternalId ?? null,
      ad_set_external_id: ad?.adSetExternalId ?? null,
      ad_external_id: ad?.adExternalId ?? null,
      click_id_kind: row.click_id_kind,
      join_method: ad?.joinMethod ?? null,
      credit: credit ?? noCredit,
      in_window: credit !== undefined,
    }
  })
  return { events, total_count }
}

/** The credit of touches; one that took part in nothing has no entry. */
export async function readCredit(
  clickhouse: Warehouse,
  of: { profile: string; customer: string; touches: string[]; conversion?: string | undefined },
): Promise<Map<string, z.input<typeof Credit>>> {
  const { profile, customer, touches, conversion } = of
  const rows = conversion
    ? await clickhouse.run(touchCreditOfConversion, { profile, conversion, touches })
    : await clickhouse.run(touchCreditOfCustomer, { profile, customer, touches })
  return new Map(rows.map(({ touch_id, ...weights }) => [touch_id, creditOf((model) => weights[model] / wholeWeight)]))
}

const creditOf = (share: (model: (typeof models)[number]) => number) =>
  Object.fromEntries(models.map((model) => [model, share(model)])) as z.input<typeof Credit>

export const noCredit = creditOf(() => 0)

/** The count rides on the rows; a page past the end has none. */
async function countOf(
  rows: { total_count: number }[],
  offset: number,
  first: () => Promise<{ total_count: number }[]>,
): Promise<number> {
  const [counted] = rows.length > 0 || offset === 0 ? rows : await first()
  return counted?.total_count ?? 0
}
