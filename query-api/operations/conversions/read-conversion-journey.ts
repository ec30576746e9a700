import { z } from 'zod'
import { findConversions } from '../../../clickhouse/queries/newest-conversions.ts'
import { impersonalKey } from '../../../domain/customer-keys.ts'
import { ids, isUuid } from '../../../domain/ids.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findCustomerKey } from '../../../postgres/stores/customer-profiles.ts'
import { operation } from '../../operation.ts'
import { noCredit, readCredit, readEvents, readTouches } from '../customers/journey-reads.ts'
import {
  CreditedEvent,
  JourneyConversion,
  JourneyPerson,
  JourneyTouch,
  journeyPaging,
} from '../customers/journey-schemas.ts'
import { readPerson } from '../customers/read-person.ts'

export const readConversionJourney = operation({
  id: 'readConversionJourney',
  method: 'GET',
  url: '/conversions/:id/journey',
  summary: 'Read what led to a conversion',
  description:
    'The id is an `outcome_event_id`, a `conversion_id` or your own event key (the `idempotency_key` of the event). ' +
    'Up to the conversion, with the credit that each touch has of it. With `customers:read` the rows are events and ' +
    '`meta.person` says whose they are; without it, and for partners of a healthcare profile, they are touches.',
  tags: ['Conversions'],
  scopes: ['conversions:read', 'customers:read'],
  readsPersons: true,
  params: z.object({ id: z.string() }),
  query: z.object(journeyPaging),
  response: one(
    z
      .object({ events: z.array(z.union([CreditedEvent, JourneyTouch])), total_count: z.int() })
      .meta({ id: 'ConversionJourney' }),
    { meta: { conversion: JourneyConversion, person: JourneyPerson.optional() } },
  ),
  errors: ['conversion_not_found'],
  handler: async ({ params, query, profile, credential, clickhouse, postgres, persons }) => {
    const handles = handlesOf(profile.id, params.id)
    const found = await clickhouse.run(findConversions, { profile: profile.id, conversions: handles })
    const conversion = handles.flatMap((id) => found.find((row) => row.conversion_id === id) ?? [])[0]
    if (!conversion) throw new ApiError('conversion_not_found')
    const { customer_id: customer, conversion_id } = conversion
    const journey = { profile: profile.id, customer, ...query, until: Date.parse(conversion.occurred_at) }
    const key = () => asProfile(postgres, profile.id, (tx) => findCustomerKey(tx, profile.id, customer))
    const meta = (customer_key: string | null) => ({
      customer_key,
      conversion_id,
      outcome_event_id: conversion.outcome_id,
      conversion_type: conversion.conversion_type,
      conversion_time: conversion.occurred_at,
    })
    // Nobody's partner holds it on a healthcare profile: the frame sees to that.
    const isFull = credential.scopes.has('customers:read')
    persons(isFull ? 1 : 0)
    if (!isFull) {
      const [data, held] = await Promise.all([
        readTouches(clickhouse, { ...journey, conversion: conversion_id }),
        key(),
      ])
      return { data, meta: { conversion: meta(impersonalKey(held.key, held.phones)) } }
    }
    const [{ events, total_count }, held, person] = await Promise.all([
      readEvents(clickhouse, journey, { withTouches: true }),
      key(),
      readPerson({ postgres, clickhouse, profile }, customer),
    ])
    const touches = events.flatMap(({ id, isTouch }) => (isTouch ? id : []))
    const credits = await readCredit(clickhouse, { profile: profile.id, customer, touches, conversion: conversion_id })
    return {
      data: {
        events: events.map(({ id, isTouch, event }) => ({
          ...event,
          credit: isTouch ? (credits.get(id) ?? noCredit) : null,
          in_window: isTouch ? credits.has(id) : null,
        })),
        total_count,
      },
      meta: { conversion: meta(held.key), person },
    }
  },
})

/** A handle may be any of three ids; each of them leads to one conversion. In the order in which they are tried. */
function handlesOf(profile: string, handle: string): string[] {
  const id = handle.toLowerCase()
  const own = ids.conversion(profile, ids.serverEvent(profile, handle.trim()))
  return isUuid(id) ? [ids.conversion(profile, id), id, own] : [own]
}
