import { z } from 'zod'
import { models } from '../../../domain/models.ts'
import { limit, offset } from '../../../http/operation.ts'

export const JourneyEvent = z
  .object({
    event_type: z.string().meta({ examples: ['page_view', 'lead_created', 'payment_received'] }),
    event_name: z.string(),
    event_time: z.iso.datetime(),
    url: z.string().nullable().meta({ description: 'Of web events only.' }),
    path: z.string().nullable(),
    channel: z.string().nullable(),
    source: z.string().nullable().meta({ description: 'Traffic source, or payment provider.' }),
    medium: z.string().nullable(),
    campaign: z.string().nullable().meta({ description: 'Name of the campaign that the event names.' }),
    value_amount: z.number().nullable(),
    currency: z.string().nullable(),
    device: z.string().nullable(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    country: z.string().nullable(),
    city: z.string().nullable(),
    is_synthetic: z
      .boolean()
      .meta({ description: 'An off-site conversion without a visit: it is a touch of its own for its ad.' }),
  })
  .meta({ id: 'JourneyEvent' })

export const Credit = z
  .object(
    Object.fromEntries(models.map((model) => [model, z.number()])) as Record<(typeof models)[number], z.ZodNumber>,
  )
  .meta({ id: 'Credit', description: 'Share of a conversion under each model; a conversion’s touches add up to 1.' })

export const CreditedEvent = JourneyEvent.extend({
  credit: Credit.nullable().meta({ description: 'Null for an event that is no touch.' }),
  in_window: z.boolean().nullable().meta({ description: 'Whether the touch takes part; null for what is no touch.' }),
}).meta({ id: 'CreditedJourneyEvent' })

/** What is told without customers:read: nothing of the person, the page, the device, the place or the session. */
export const JourneyTouch = z
  .object({
    touch_id: z.uuid(),
    touch_time: z.iso.datetime(),
    channel: z.string().nullable(),
    campaign_external_id: z.string().nullable().meta({ description: 'The platform’s id; null when none is named.' }),
    ad_set_external_id: z.string().nullable(),
    ad_external_id: z.string().nullable(),
    click_id_kind: z
      .string()
      .nullable()
      .meta({ examples: ['gclid', 'fbclid'] }),
    join_method: z.string().nullable().meta({ description: 'How the touch came to its ad.' }),
    credit: Credit,
    in_window: z.boolean(),
  })
  .meta({ id: 'JourneyTouch' })

const conversion = {
  conversion_id: z.uuid(),
  outcome_event_id: z.uuid(),
  conversion_type: z.string(),
  conversion_time: z.iso.datetime(),
}

export const JourneyConversion = z
  .object({
    customer_key: z.string().nullable().meta({
      description:
        'The caller’s own id of the customer; null when it has none or was erased, and without `customers:read` also when it is itself an e-mail, a phone or a national id.',
    }),
    ...z.object(conversion).partial().shape,
  })
  .meta({ id: 'JourneyConversion', description: 'The conversion, where the journey is of one.' })

/** Of a person's conversions as many are told. */
export const mostConversions = 50

export const JourneyPerson = z
  .object({
    customer_profile_id: z.uuid(),
    name: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    identifiers: z.array(z.object({ type: z.string(), value: z.string() })),
    counts: z.object({
      conversions: z.int(),
      identifiers: z.int(),
      browsers: z.int(),
    }),
    total_revenue: z.number().meta({ description: 'Cash in all, less refunds, in the reporting currency.' }),
    conversions: z
      .array(z.object({ ...conversion, revenue_type: z.string(), revenue: z.number() }))
      .max(mostConversions)
      .meta({ description: `The newest ${mostConversions}, newest first.` }),
  })
  .meta({ id: 'JourneyPerson' })

export const journeyPaging = { offset: offset(), limit: limit({ default: 50, max: 100 }) }
