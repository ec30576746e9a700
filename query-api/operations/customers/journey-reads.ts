import type { z } from 'zod'
import type { Warehouse } from '../../../clickhouse/client.ts'
import { customerTouches } from '../../../clickhouse/queries/customer-touches.ts'
import { type Journey, type JourneyRow, readsOf } from '../../../clickhouse/queries/journey-events.ts'
import { endOfTime, heldSubjects, possibleSubjects } from '../../../clickhouse/queries/subjects-of-customer.ts'
import { touchCreditOfConversion, touchCreditOfCustomer } from '../../../clickhouse/queries/touch-credit.ts'
import { models, wholeWeight } from '../../../domain/models.ts'
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
  /** It started a session, or stands for an off-site click: attribution looks at it. Told of hits only `withTouches`. */
  isTouch: boolean
  event: z.input<typeof JourneyEvent>
}

/** A page of the events, and how many there are. */
export async function readEvents(
  clickhouse: Warehouse,
  { until = endOfTime, profile, customer, limit, offset }: JourneyOf,
  { withTouches = false } = {},
): Promise<{ events: ReadEvent[]; total_count: number }> {
  const subjects = heldSubjects(customer, await clickhouse.run(possibleSubjects, { profile, customer }))
  const journey = readsOf({ profile, customer, subjects })
  const { page, total_count } = await readPage(clickhouse, journey, until, limit, offset)
  const rows = page.map(({ row }) => row)
  const [touches, adOf] = await Promise.all([
    findTouches(clickhouse, journey, withTouches ? page : page.filter(mayBeSynthetic)),
    nameAds(clickhouse, profile, rows),
  ])
  const events = page.map(({ row, isOutcome }) => {
    const { id, amount_minor, currency } = row
    const { ad_ref, ad_set_ref, campaign_ref, tag_content, tag_term, tag_id, tag_campaign, ...event } = row
    const value_amount = amount_minor === null || currency === null ? null : fromMinorAsNumber(amount_minor, currency)
    const campaign = adOf(row)?.campaignName ?? (tag_campaign || null)
    const isTouch = touches.get(id) === isOutcome
    return { id, isTouch, event: { ...event, campaign, value_amount, is_synthetic: isOutcome && isTouch } }
  })
  return { events, total_count }
}

interface PageEvent {
  isOutcome: boolean
  row: JourneyRow
}

/** Pages that begin further back wait for the outcomes, so that not all hits before them are read. */
const farBack = 1_000

/**
 * Hits and outcomes side by side, each in order of time, and the page of both together: an event's place is its place
 * among its own kind and the number of others before it.
 */
async function readPage(
  clickhouse: Warehouse,
  journey: Journey,
  until: number,
  limit: number,
  offset: number,
): Promise<{ page: PageEvent[]; total_count: number }> {
  const { reads, whose } = journey
  const outcomes = readOutcomes(clickhouse, journey, { until, skip: 0, limit: offset + limit })
  const skip = offset < farBack ? 0 : Math.max(0, offset - ((await outcomes)[0]?.total_count ?? 0))
  const hits = (part: { skip: number; limit: number }) => clickhouse.run(reads.hits, { ...whose, until, ...part })
  const [found, told] = await Promise.all([hits({ skip, limit: offset - skip + limit }), outcomes])
  const hit_count = await countOf(found, skip, () => hits({ skip: 0, limit: 1 }))
  const page = [
    ...found.map((row) => ({ isOutcome: false, row })),
    ...told.map((row) => ({ isOutcome: true, row })),
  ].sort(byTime)
  return {
    page: page.slice(offset - skip, offset - skip + limit),
    total_count: hit_count + (told[0]?.total_count ?? 0),
  }
}

const byTime = ({ row: a }: PageEvent, { row: b }: PageEvent) =>
  compare(a.event_time, b.event_time) || compare(a.id, b.id)
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Most customers have neither a deal in a stage nor a payment with an assigned payer: only those who do are asked for both. */
async function readOutcomes(
  clickhouse: Warehouse,
  { reads, whose }: Journey,
  part: { until: number; skip: number; limit: number },
): Promise<JourneyRow[]> {
  const [plain, assigned] = await Promise.all([
    clickhouse.run(reads.plainOutcomes, { ...whose, ...part }),
    clickhouse.run(reads.assignedPayers, whose),
  ])
  return assigned.length > 0 || plain[0]?.any_staged ? clickhouse.run(reads.outcomes, { ...whose, ...part }) : plain
}

/** Only an outcome that names its ad is ever given a touch of its own. */
const mayBeSynthetic = ({ isOutcome, row }: PageEvent) =>
  isOutcome && (row.ad_ref !== '' || row.ad_set_ref !== '' || row.campaign_ref !== '')

/** Of the events that are touches, whether they are synthetic. */
async function findTouches(clickhouse: Warehouse, { reads, whose }: Journey, page: PageEvent[]) {
  const events = page.map(({ row }) => row.id)
  const touches = events.length > 0 ? await clickhouse.run(reads.touchesAmong, { ...whose, events }) : []
  return new Map(touches.map(({ touch_id, is_synthetic }) => [touch_id, is_synthetic]))
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
