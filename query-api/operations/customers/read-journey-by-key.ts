import { z } from 'zod'
import { impersonalKey } from '../../../domain/customer-keys.ts'
import { normalise } from '../../../domain/identifiers.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findCustomerKey } from '../../../postgres/stores/customer-profiles.ts'
import { customerOfToken } from '../../../postgres/stores/identity-view.ts'
import type { IdentifierType } from '../../../schemas/messages.ts'
import { operation } from '../../customer-operation.ts'
import { readEvents, readTouches } from './journey-reads.ts'
import { JourneyConversion, JourneyEvent, JourneyPerson, JourneyTouch, journeyPaging } from './journey-schemas.ts'
import { readPerson } from './read-person.ts'

const selector = z.string().max(1024).optional()

const Query = z
  .object({
    customer_key: selector.meta({ description: 'Your own id of the customer, as sent in `user_traits.external_id`.' }),
    email: selector.meta({ description: 'Needs `customers:read`.' }),
    phone: selector.meta({ description: 'With its country code. Needs `customers:read`.', examples: ['+56912345678'] }),
    ...journeyPaging,
  })
  .superRefine(({ customer_key, email, phone }, context) => {
    if ([customer_key, email, phone].filter((value) => value !== undefined).length === 1) return
    const message = 'send exactly one of customer_key, email and phone'
    context.addIssue({ code: 'custom', path: ['customer_key'], message })
  })

export const readJourneyByKey = operation({
  id: 'readJourneyByKey',
  method: 'GET',
  url: '/customers/journey',
  summary: 'Read the journey of a customer you know by your own id',
  description:
    'With `customers:read` the rows are events and `meta.person` says who it is. Without it, and for partners of a ' +
    'healthcare profile, they are touches: channel, ads by their platform ids, and the credit they earned of all the ' +
    'customer’s conversions together.',
  tags: ['Customers'],
  scopes: ['conversions:read', 'customers:read'],
  readsPersons: true,
  query: Query,
  response: one(
    z
      .object({ events: z.array(z.union([JourneyEvent, JourneyTouch])), total_count: z.int() })
      .meta({ id: 'JourneyOrTouches' }),
    { meta: { person: JourneyPerson.optional(), conversion: JourneyConversion.optional() } },
  ),
  errors: ['customer_not_found', 'healthcare_scope_forbidden'],
  handler: async ({ query, profile, credential, clickhouse, postgres, vault, persons }) => {
    // Nobody's partner holds it on a healthcare profile: the frame sees to that.
    const isFull = credential.scopes.has('customers:read')
    if (!isFull && profile.isHealthcare && query.customer_key === undefined)
      throw new ApiError('healthcare_scope_forbidden')
    const { type, value } = identifierOf(query, isFull)
    const [token] = value === null ? [] : await vault.find(profile.id, [{ type, value }])
    const customer = token && (await asProfile(postgres, profile.id, (tx) => customerOfToken(tx, profile.id, token)))
    if (!customer) throw new ApiError('customer_not_found')
    const journey = { profile: profile.id, customer, limit: query.limit, offset: query.offset }
    persons(isFull ? 1 : 0)
    if (!isFull) {
      const [data, { key, phones }] = await Promise.all([
        readTouches(clickhouse, journey),
        asProfile(postgres, profile.id, (tx) => findCustomerKey(tx, profile.id, customer)),
      ])
      return { data, meta: { conversion: { customer_key: impersonalKey(key, phones) } } }
    }
    const [{ events, total_count }, person] = await Promise.all([
      readEvents(clickhouse, journey),
      readPerson({ postgres, clickhouse, profile }, customer),
    ])
    return { data: { events: events.map(({ event }) => event), total_count }, meta: { person } }
  },
})

/** The one identifier that was sent, in its one spelling; null when it is well formed and nobody can have it. */
function identifierOf(
  { customer_key, email, phone }: z.output<typeof Query>,
  isFull: boolean,
): { type: IdentifierType; value: string | null } {
  if (customer_key !== undefined) {
    const checked = normalise('external_customer_id', customer_key)
    return { type: 'external_customer_id', value: checked.ok ? checked.value : null }
  }
  if (!isFull) {
    const message = 'A customer is named by e-mail or phone with customers:read only.'
    throw new ApiError('insufficient_scope', message, { required_scopes: ['customers:read'] })
  }
  const type = email === undefined ? 'phone' : 'email'
  // A + that was not escaped arrives as a space.
  const checked = normalise(type, email ?? (phone ?? '').replace(/^ (?=\d)/, '+'))
  if (!checked.ok && checked.reason !== 'placeholder') {
    throw new ApiError(
      'invalid_parameter',
      `${type}: is not ${type === 'email' ? 'an e-mail' : 'a phone with its country code'}`,
    )
  }
  return { type, value: checked.ok ? checked.value : null }
}
