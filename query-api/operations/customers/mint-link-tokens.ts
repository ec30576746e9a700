import { z } from 'zod'
import { impersonalKey } from '../../../domain/customer-keys.ts'
import { linkRecipes } from '../../../domain/link-recipes.ts'
import { linkTokenParameter } from '../../../domain/link-tokens.ts'
import { dayMs } from '../../../domain/time.ts'
import { ApiError, one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { customersOfTokens } from '../../../postgres/stores/identity-view.ts'
import { describeCustomers, type NamedCustomer, survivorsOf } from '../../../postgres/stores/named-customers.ts'
import { type IdentityDeps, operation } from '../../identity-operation.ts'
import { type LinkTokenReason, linkTokenMessages, linkTokenReasons, type NamedRow, readRow } from './link-token-row.ts'

const maxRows = 500
const LinkTokenRow = z
  .object({
    index: z.int(),
    status: z.enum(['minted', 'not_found', 'invalid']),
    customer_key: z
      .string()
      .nullable()
      .meta({
        description:
          'The key the customer holds; on a row that did not mint, the key that was sent. Null without customers:read when ' +
          'it is an e-mail, a phone or a national id that the row does not name.',
      }),
    customer_profile_id: z.uuid().optional().meta({ description: 'Minted rows, for keys with customers:read.' }),
    token: z.string().optional().meta({ description: 'Minted rows: opaque, encrypted, good in this profile only.' }),
    expires_at: z.iso.datetime().optional().meta({ description: 'Minted rows.' }),
    reason: z.enum(linkTokenReasons).optional().meta({ description: 'Rows that did not mint.' }),
    message: z.string().optional().meta({ description: 'Rows that did not mint.' }),
  })
  .meta({ id: 'LinkTokenRow' })

const LinkRecipe = z
  .object({
    channel: z.string(),
    store_token_in: z.string(),
    link_template: z.string(),
    merge_tag: z.string(),
    requires: z.string(),
  })
  .meta({ id: 'LinkRecipe', description: 'How a token gets into the links of a tool that people send with.' })

const Selectors = z
  .object({
    customer_profile_id: z.string().optional(),
    customer_key: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional(),
    identifier_type: z.string().optional(),
    identifier_value: z.string().optional(),
  })
  .meta({
    id: 'LinkTokenSelector',
    description: 'One customer; the first selector that is present, in this order, wins.',
  })

export const mintLinkTokens = operation({
  id: 'mintLinkTokens',
  method: 'POST',
  url: '/customers/link-tokens',
  summary: 'Mint tokens that bind a browser to a customer',
  description:
    'One token for each named customer, to be put into links as ?svc_t=. A row that names nobody, or cannot be read, says ' +
    'so itself; nothing is created. A browser that is already linked to somebody is never given to somebody else.',
  tags: ['Customers'],
  scopes: ['attribution:write'],
  bodyLimitBytes: 1024 * 1024,
  body: z.object({
    // Rows are judged one by one: a row that is no object is an invalid row, not a failed request.
    customers: z
      .array(z.union([Selectors, z.unknown()]))
      .max(maxRows)
      .meta({ description: `Up to ${maxRows} rows.` }),
    expires_in_days: z.int().min(1).max(365).default(90),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/, { error: 'must be two letters of ISO 3166-1' })
      .optional()
      .meta({ description: 'ISO 3166-1 alpha-2: the region of phones without +.', examples: ['CL'] }),
  }),
  response: one(
    z
      .object({
        param: z.string().meta({ examples: [linkTokenParameter] }),
        minted: z.int(),
        not_found: z.int(),
        invalid: z.int(),
        results: z.array(LinkTokenRow),
        recipes: z.array(LinkRecipe),
      })
      .meta({ id: 'LinkTokens' }),
  ),
  errors: ['link_tokens_disabled'],
  handler: async ({ body, profile, credential, request, linkTokens, ...deps }) => {
    if (!linkTokens) throw new ApiError('link_tokens_disabled')
    const rows = body.customers.map((row) => readRow(row, body.country))
    const found = await findCustomers(deps, profile.id, rows)
    // Tokens carry whole seconds, so that what is said here is what they hold.
    const nowMs = Math.floor(request.receivedAt.getTime() / 1000) * 1000
    const expiresAt = new Date(nowMs + body.expires_in_days * dayMs)
    const mayReadPersons = credential.scopes.has('customers:read')
    const results = await Promise.all(
      rows.map(async (row, index) => {
        const outcome = found(row)
        if (typeof outcome === 'string') return { index, ...refused(outcome, row) }
        const { customer, token } = outcome
        return {
          index,
          status: 'minted' as const,
          customer_key:
            mayReadPersons || isNamedBy(row, customer) ? customer.key : impersonalKey(customer.key, customer.phones),
          ...(mayReadPersons ? { customer_profile_id: customer.customerId } : {}),
          token: await linkTokens.mint(profile.id, token, expiresAt),
          expires_at: expiresAt.toISOString(),
        }
      }),
    )
    const count = (status: string) => results.filter((result) => result.status === status).length
    return {
      param: linkTokenParameter,
      minted: count('minted'),
      not_found: count('not_found'),
      invalid: count('invalid'),
      results,
      recipes: [...linkRecipes],
    }
  },
})

/** Whoever wrote the key into the row knows it. */
const isNamedBy = (row: NamedRow, { key }: NamedCustomer) => row.by === 'identifier' && row.selector.value === key

const refused = (reason: LinkTokenReason, { sentKey }: NamedRow) => ({
  status: reason === 'no_match' || reason === 'erased' ? ('not_found' as const) : ('invalid' as const),
  customer_key: sentKey,
  reason,
  message: linkTokenMessages[reason],
})

type Outcome = LinkTokenReason | { customer: NamedCustomer; token: string }

/** Looks all rows up in four statements, however many there are. */
async function findCustomers(
  { vault, postgres }: Pick<IdentityDeps, 'vault' | 'postgres'>,
  profileId: string,
  rows: NamedRow[],
): Promise<(row: NamedRow) => Outcome> {
  const selectors = rows.flatMap((row) => (row.by === 'identifier' ? row.selector : []))
  const entries = await vault.lookUp(profileId, selectors)
  const entryOf = new Map(selectors.map((selector, at) => [selector, entries[at]]))
  const tokens = entries.flatMap((entry) => (entry && !entry.isErased ? entry.token : []))
  const ids = rows.flatMap((row) => (row.by === 'id' ? row.customerId : []))
  const { survivors, holders, customers } = await asProfile(postgres, profileId, async (tx) => {
    const survivors = await survivorsOf(tx, profileId, ids)
    const held = await customersOfTokens(tx, profileId, tokens)
    const holders = new Map(held.map(({ token, customerId }) => [token, customerId]))
    const wanted = [...new Set([...survivors.values(), ...holders.values()])]
    return { survivors, holders, customers: await describeCustomers(tx, profileId, wanted) }
  })
  return (row) => {
    if (row.by === 'none') return row.reason
    if (row.by === 'id') {
      const customer = customers.get(survivors.get(row.customerId) ?? '')
      if (!customer) return 'no_match'
      return customer.isErased ? 'erased' : { customer, token: customer.tokens[0]! }
    }
    const entry = entryOf.get(row.selector)
    if (entry?.isErased) return 'erased'
    const customer = entry && customers.get(holders.get(entry.token) ?? '')
    // The link follows the identifier that it was minted by, should the customer ever be taken apart.
    return customer && !customer.isErased ? { customer, token: entry.token } : 'no_match'
  }
}
