import { z } from 'zod'
import { eventFeed } from '../../../clickhouse/queries/event-feed.ts'
import { type Channel, channels } from '../../../domain/channels.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { type OutcomeSource, outcomeSources } from '../../../domain/outcome-sources.ts'
import { dayMs } from '../../../domain/time.ts'
import { Cursor, decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { ApiError, limit, page } from '../../../http/operation.ts'
import { operation } from '../../tracking-operation.ts'

const longestDays = 90
const defaultDays = 7
const channelNames = Object.keys(channels) as Channel[]

const Moment = z.iso.datetime({ offset: true }).optional()
const listOf = <Item extends z.ZodType<string, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).min(1).max(20))
    .optional()

const TrackedEvent = z
  .object({
    event_id: z.uuid(),
    source: z.enum(outcomeSources),
    event_type: z.string(),
    event_name: z.string().nullable(),
    event_time: z.iso.datetime(),
    received_at: z.iso.datetime(),
    visitor_id: z.uuid().nullable().meta({ description: 'The browser, when it is known.' }),
    url: z.string().nullable(),
    path: z.string().nullable(),
    referrer: z.string().nullable(),
    channel: z.string().nullable(),
    traffic_source: z.string().nullable(),
    medium: z.string().nullable(),
    utm: z.record(z.string(), z.string()).meta({ description: 'UTM tags without their prefix.' }),
    click_id_kind: z.string().nullable(),
    campaign_ref: z.string().nullable().meta({ description: 'Platform id that the event names.' }),
    ad_set_ref: z.string().nullable(),
    ad_ref: z.string().nullable(),
    provider: z.string().nullable(),
    value_amount: z.number().nullable().meta({ description: 'Of outcomes that servers, CRMs and providers report.' }),
    currency: z.string().nullable(),
    device: z.string().nullable(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    is_bot: z.boolean(),
  })
  .meta({ id: 'TrackedEvent' })

// Cursors that were given out before hits were told apart by their browser end with the event.
const Place = z.tuple([z.string().regex(/^\d{1,15}$/), z.uuid(), z.uuid().default('')])

export const listEvents = operation({
  id: 'listTrackedEvents',
  method: 'GET',
  url: '/tracking/events',
  summary: 'List events as they came in and were enriched',
  description:
    'Newest first, over at most 90 days. A page can hold fewer rows than its limit while more follow: an event that was sent again with another time is shown at its last place only. Not available on healthcare profiles.',
  tags: ['Tracking'],
  scopes: ['visitors:read'],
  readsPersons: true,
  query: z.object({
    from: Moment.meta({
      description: 'From this time; seven days before `to` without it.',
      examples: ['2026-03-01T00:00:00Z'],
    }),
    to: Moment.meta({ description: 'Before this time; now without it.', examples: ['2026-03-08T00:00:00Z'] }),
    event_type: listOf(z.string().min(1).max(100)).meta({
      description: 'One or several, separated by commas.',
      examples: ['page_view'],
    }),
    source: listOf(z.enum(outcomeSources)).meta({
      description: '`tracker`, `server`, `crm`, `payment`.',
      examples: ['server'],
    }),
    channel: listOf(z.enum(channelNames)).meta({
      description: 'Marketing channels.',
      examples: ['paid_social,paid_search'],
    }),
    visitor_id: z.uuid().optional().meta({ description: 'Events of one browser.' }),
    include_bots: z.enum(['true', 'false']).default('false'),
    limit: limit({ default: 50, max: 200 }),
    cursor: Cursor,
  }),
  response: page(TrackedEvent),
  errors: ['invalid_window', 'healthcare_scope_forbidden'],
  handler: async ({ query, profile, clickhouse, request, persons }) => {
    // A console session holds the scope everywhere; here nobody reads single visitors.
    if (profile.isHealthcare) throw new ApiError('healthcare_scope_forbidden')
    const { event_type, source, channel, visitor_id, include_bots, limit: size, cursor } = query
    const { from, to } = windowOf(query, request.receivedAt.getTime())
    const list = [profile.id, query.from, query.to, event_type, source, channel, visitor_id, include_bots]
    const [time, id, browser] = cursor === undefined ? [] : decodeCursor(list, Place, cursor)
    const candidates = await clickhouse.run(eventFeed, {
      profile: profile.id,
      from,
      to,
      beforeTime: time === undefined ? to : Number(time),
      beforeId: id ?? '',
      beforeBrowser: browser ?? '',
      eventTypes: event_type ?? [],
      sources: source ?? [],
      channels: channel ?? [],
      visitor: visitor_id ?? '',
      withBots: include_bots === 'true',
      // One more than asked for says whether there is another page.
      limit: size + 1,
    })
    const shown = candidates.slice(0, size)
    const last = shown.at(-1)
    const hasNext = candidates.length > size
    const rows = shown.filter(({ is_there }) => is_there).map(toTrackedEvent)
    persons(new Set(rows.flatMap(({ visitor_id }) => visitor_id ?? [])).size)
    return {
      data: rows,
      pagination: {
        has_next: hasNext,
        cursor: hasNext && last ? encodeCursor(list, [String(last.time), last.event_id, last.browser_id]) : null,
      },
    }
  },
})

function windowOf(query: { from?: string | undefined; to?: string | undefined }, now: number) {
  const to = query.to === undefined ? now + 5 * 60_000 : Date.parse(query.to)
  const from = query.from === undefined ? to - defaultDays * dayMs : Date.parse(query.from)
  if (from > to) throw new ApiError('invalid_parameter', 'from: must not be after to')
  if (to - from > longestDays * dayMs + 5 * 60_000) {
    throw new ApiError('invalid_window', `from and to may be at most ${longestDays} days apart.`)
  }
  return { from, to }
}

type Candidate = Awaited<ReturnType<typeof eventFeed.row.parse>>

function toTrackedEvent({
  time,
  is_there: _isThere,
  browser_id: _browser,
  amount_minor,
  ...row
}: Candidate): z.infer<typeof TrackedEvent> {
  return {
    ...row,
    source: row.source as OutcomeSource,
    event_time: new Date(time).toISOString(),
    received_at: new Date(row.received_at).toISOString(),
    value_amount: amount_minor === null || row.currency === null ? null : fromMinorAsNumber(amount_minor, row.currency),
  }
}
