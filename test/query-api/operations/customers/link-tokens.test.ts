import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { linkTokens } from '../../../../domain/link-tokens.ts'
import { bearer } from '../../../http/test-app.ts'
import { openPeople, type People, type Profile } from './people.ts'

const tokens = linkTokens([{ id: 'k', secret: randomBytes(32) }])!
let people: People
let profile: Profile

beforeAll(async () => {
  people = await openPeople({ linkTokens: tokens })
})
beforeEach(async () => {
  profile = await people.profile()
})
afterAll(() => people.close())

const ana = {
  external_customer_id: 'C-1001',
  email: 'ana@example.com',
  phone: '+56987654321',
  national_id: '12345678-5',
  crm_contact_id: 'hubspot:9',
}
const mint = (customers: unknown[], more: object = {}) => profile.post('/customers/link-tokens', { customers, ...more })
const one = async (row: unknown, more?: object) => (await mint([row], more)).body.data.results[0]

describe('minting', () => {
  it('answers a token for each named customer, with counts, the parameter and recipes', async () => {
    const known = await profile.knows(ana)
    const before = Date.now()
    const { status, body } = await mint([{ customer_key: 'C-1001' }, { email: 'nobody@example.com' }, {}])
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        param: 'svc_t',
        minted: 1,
        not_found: 1,
        invalid: 1,
        results: [
          {
            index: 0,
            status: 'minted',
            customer_key: 'C-1001',
            token: expect.any(String),
            expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          },
          { index: 1, status: 'not_found', customer_key: null, reason: 'no_match', message: expect.any(String) },
          { index: 2, status: 'invalid', customer_key: null, reason: 'no_selector', message: expect.any(String) },
        ],
        recipes: expect.any(Array),
      },
      meta: { profile_id: profile.id },
    })
    const [row] = body.data.results
    const days = (Date.parse(row.expires_at) - before) / 86_400_000
    expect(days).toBeGreaterThan(89.99)
    expect(days).toBeLessThan(90.01)
    expect(await tokens.open(profile.id, row.token, new Date())).toBe(known.external_customer_id)
    expect(body.data.recipes.length).toBeGreaterThan(5)
    for (const recipe of body.data.recipes) {
      expect(Object.keys(recipe).sort()).toEqual([
        'channel',
        'link_template',
        'merge_tag',
        'requires',
        'store_token_in',
      ])
      expect(recipe.link_template).toContain(`svc_t=${recipe.merge_tag}`)
    }
  })

  it.each([
    ['customer_key', { customer_key: ' C-1001 ' }, 'external_customer_id'],
    ['e-mail in any case', { email: 'ANA@example.com' }, 'email'],
    ['phone in any notation', { phone: '+56 9 8765-4321' }, 'phone'],
    ['phone with the country of the call', { phone: '9 8765 4321' }, 'phone'],
    ['RUT in any format', { identifier_type: 'national_id', identifier_value: '12.345.678-5' }, 'national_id'],
    ['CRM id', { identifier_type: 'crm_contact_id', identifier_value: 'hubspot:9' }, 'crm_contact_id'],
  ] as const)('finds a customer by %s', async (_, row, type) => {
    const known = await profile.knows(ana)
    const result = await one(row, { country: 'cl' })
    expect(result).toMatchObject({ status: 'minted', customer_key: 'C-1001' })
    expect(await tokens.open(profile.id, result.token, new Date())).toBe(known[type])
  })

  it('takes the first selector that is present, in the order of the specification', async () => {
    const [a, b] = [
      await profile.knows({ external_customer_id: 'A', email: 'a@example.com' }),
      await profile.knows({ external_customer_id: 'B', email: 'b@example.com' }),
    ]
    const id = await profile.customerOf(a.email)
    expect(await one({ email: 'b@example.com', customer_profile_id: id })).toMatchObject({ customer_key: 'A' })
    expect(await one({ email: 'b@example.com', customer_key: 'A' })).toMatchObject({ customer_key: 'A' })
    expect(await one({ phone: 'nonsense', email: 'b@example.com', customer_key: null })).toMatchObject({
      customer_key: 'B',
    })
    expect(b.email).not.toBe(a.email)
  })

  it.each([
    ['an id that is none', { customer_profile_id: 'x', email: 'ana@example.com' }, 'malformed_selector', null],
    ['an id beside a key', { customer_profile_id: 'x', customer_key: 'C-1001' }, 'malformed_selector', 'C-1001'],
    ['an id that is a number', { customer_profile_id: 7, email: 'ana@example.com' }, 'malformed_selector', null],
    ['an empty key', { customer_key: '', email: 'ana@example.com' }, 'malformed_selector', ''],
    [
      'an e-mail that is none',
      { email: 'x', customer_key: undefined, phone: '+56987654321' },
      'malformed_selector',
      null,
    ],
    ['an e-mail that is an object', { email: {}, phone: '+56987654321' }, 'malformed_selector', null],
    ['a phone without a country', { phone: '987654321' }, 'malformed_selector', null],
    [
      'a RUT with a wrong digit',
      { identifier_type: 'national_id', identifier_value: '12345678-9' },
      'malformed_selector',
      null,
    ],
    ['a type without its value', { identifier_type: 'national_id' }, 'malformed_selector', null],
    [
      'an unknown type',
      { identifier_type: 'email', identifier_value: 'ana@example.com' },
      'unknown_identifier_type',
      null,
    ],
    ['a value without its type', { identifier_value: 'x' }, 'no_selector', null],
    ['nothing', {}, 'no_selector', null],
    ['nulls', { customer_key: null, email: null }, 'no_selector', null],
    ['a text', 'ana@example.com', 'no_selector', null],
    ['null', null, 'no_selector', null],
    ['a list', [{ email: 'ana@example.com' }], 'no_selector', null],
  ])('calls %s invalid, and falls back on nothing', async (_, row, reason, key) => {
    await profile.knows(ana)
    expect(await one(row)).toEqual({
      index: 0,
      status: 'invalid',
      customer_key: key,
      reason,
      message: expect.any(String),
    })
  })

  it('creates nothing for whom it does not know, nor for a stand-in', async () => {
    const { body } = await mint([
      { customer_key: 'new' },
      { email: 'new@example.com' },
      { customer_key: 'guest' },
      { customer_profile_id: randomUUID(), customer_key: 'kX' },
      { customer_key: 'a\ud800' },
    ])
    expect(body.data).toMatchObject({ minted: 0, not_found: 5, invalid: 0 })
    expect(body.data.results.map(({ customer_key }: { customer_key: string }) => customer_key)).toEqual([
      'new',
      null,
      'guest',
      'kX',
      'a\ufffd',
    ])
    expect([await profile.count('vault'), await profile.count('identifiers')]).toEqual([0, 0])
  })

  it.each([
    ['an e-mail', 'ana@example.com'],
    ['a phone without its country code', '987654321'],
    ['a RUT', '12.345.678-5'],
  ])(
    'keeps a key that is %s from those who may not read persons, unless they named the customer by it',
    async (_, key) => {
      await profile.knows({ external_customer_id: key, store_customer_id: 'S-1', phone: '+56987654321' })
      const byStore = { identifier_type: 'store_customer_id', identifier_value: 'S-1' }
      expect(await one(byStore)).toMatchObject({ status: 'minted', customer_key: null })
      expect(await one({ customer_key: key })).toMatchObject({ status: 'minted', customer_key: key })
      const headers = await bearer(people.pool, profile.id, ['attribution:write', 'customers:read'], 1000)
      const { body } = await profile.post('/customers/link-tokens', { customers: [byStore] }, headers)
      expect(body.data.results[0]).toMatchObject({ customer_key: key })
    },
  )

  it('names the survivor of a merge, also by the id that was merged away', async () => {
    const a = await profile.knows({ external_customer_id: 'A', email: 'a@example.com' })
    const b = await profile.knows({ phone: '+56911112222' })
    const merged = await profile.customerOf(b.phone)
    await profile.knows({ email: 'a@example.com', phone: '+56911112222' })
    profile = {
      ...profile,
      headers: await bearer(people.pool, profile.id, ['attribution:write', 'customers:read'], 1000),
    }
    const { body } = await profile.post(
      '/customers/link-tokens',
      { customers: [{ customer_profile_id: merged }, { phone: '+56911112222' }] },
      profile.headers,
    )
    for (const row of body.data.results) {
      expect(row).toMatchObject({
        status: 'minted',
        customer_key: 'A',
        customer_profile_id: await profile.customerOf(a.email),
      })
    }
  })

  it('says "erased" of an erased id and key, and "no_match" of an erased e-mail or phone', async () => {
    const known = await profile.knows(ana)
    const customer_profile_id = await profile.customerOf(known.email)
    await profile.post('/customers/erasures', { request_ref: 'r', email: ana.email })
    const { body } = await mint([
      { customer_profile_id },
      { customer_key: 'C-1001' },
      { identifier_type: 'external_customer_id', identifier_value: 'C-1001' },
      { email: ana.email },
      { phone: ana.phone },
      { identifier_type: 'national_id', identifier_value: ana.national_id },
    ])
    expect(body.data.results.map(({ status, reason, customer_key }: never) => [status, reason, customer_key])).toEqual([
      ['not_found', 'erased', null],
      ['not_found', 'erased', 'C-1001'],
      ['not_found', 'erased', 'C-1001'],
      ['not_found', 'no_match', null],
      ['not_found', 'no_match', null],
      ['not_found', 'no_match', null],
    ])
  })

  it('knows nobody of another profile', async () => {
    const other = await people.profile()
    const known = await other.knows(ana)
    const { body } = await mint([
      { customer_key: 'C-1001' },
      { customer_profile_id: await other.customerOf(known.email) },
    ])
    expect(body.data).toMatchObject({ minted: 0, not_found: 2 })
  })

  it('refuses more than 500 rows, lifetimes outside 1 to 365 days, and a country that is none', async () => {
    for (const [customers, more] of [
      [Array(501).fill({}), {}],
      [[], { expires_in_days: 0 }],
      [[], { expires_in_days: 366 }],
      [[], { expires_in_days: 1.5 }],
      [[], { country: 'Chile' }],
    ] as const) {
      expect(await mint([...customers], more)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation_error' } },
      })
    }
    expect((await mint(Array(500).fill({}), { expires_in_days: 365 })).body.data.invalid).toBe(500)
  })

  it('needs attribution:write', async () => {
    const reader = await bearer(people.pool, profile.id, ['customers:read'])
    const answer = await profile.post('/customers/link-tokens', { customers: [] }, reader)
    expect(answer.body.error.code).toBe('insufficient_scope')
  })

  it('is off without a key: 503, and no reason to try again', async () => {
    const off = await openPeople({ linkTokens: undefined })
    const { status, body } = await (await off.profile()).post('/customers/link-tokens', { customers: [] })
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'link_tokens_disabled' })
    await off.close()
  })
})
