import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bearer } from '../../../http/test-app.ts'
import { openPeople, type People, type Profile } from './people.ts'

let people: People
let profile: Profile

beforeAll(async () => {
  people = await openPeople()
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
}
const erase = (body: object) => profile.post('/customers/erasures', body)
const rowsOf = async (sql: string) => (await people.pool.query(sql, [profile.id])).rows

describe('an erasure', () => {
  it('answers 202 with a receipt that names no customer id', async () => {
    await profile.knows(ana, { firstName: 'Ana' })
    const { status, body } = await erase({ request_ref: 'dsr-1', customer_key: 'C-1001' })
    expect(status).toBe(202)
    expect(body).toEqual({
      data: {
        erasure_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        request_ref: 'dsr-1',
        status: 'queued',
        customer_key: 'C-1001',
        reason: 'data_subject_request',
        requested_at: expect.stringMatching(/^\d{4}-.*Z$/),
        completed_at: null,
      },
      meta: { profile_id: profile.id },
    })
    expect(await profile.get(`/customers/erasures/${body.data.erasure_id}`)).toMatchObject({ status: 200, body })
  })

  it.each([
    ['email', { email: ' ANA@Example.com ' }],
    ['phone', { phone: '9 8765 4321', country: 'CL' }],
    ['RUT', { identifier_type: 'national_id', identifier_value: '12.345.678-5' }],
    ['typed key', { identifier_type: 'external_customer_id', identifier_value: 'C-1001' }],
  ])('finds the customer by %s, and the receipt names the key', async (_, selector) => {
    await profile.knows(ana)
    expect(await erase({ request_ref: 'r', ...selector, reason: 'account_closed' })).toMatchObject({
      status: 202,
      body: { data: { customer_key: 'C-1001', reason: 'account_closed' } },
    })
  })

  it('leaves a null key on the receipt of a customer who has none', async () => {
    await profile.knows({ email: 'ben@example.com' })
    const { body } = await erase({ request_ref: 'r', email: 'ben@example.com' })
    expect(body.data.customer_key).toBeNull()
  })

  it('takes names, values, hashes and keys away, and keeps the grouping by token', async () => {
    const tokens = await profile.knows(ana, { firstName: 'Ana', lastName: 'Rojas', visitorId: randomUUID() })
    const groups = 'SELECT token, customer_id, cluster_id, first_seen FROM identifiers WHERE profile_id = $1 ORDER BY 1'
    const before = await rowsOf(groups)
    await erase({ request_ref: 'r', email: ana.email })
    expect(await rowsOf(groups)).toEqual(before)
    expect(await rowsOf('SELECT DISTINCT value, first_name, last_name FROM identifiers WHERE profile_id = $1')).toEqual(
      [{ value: null, first_name: null, last_name: null }],
    )
    expect(await rowsOf('SELECT first_name, last_name FROM customers WHERE profile_id = $1')).toEqual([
      { first_name: null, last_name: null },
    ])
    // The key's tombstone alone is left, under a token that nothing else carries.
    const vault = await rowsOf('SELECT type, token, data_key FROM vault WHERE profile_id = $1')
    expect(vault).toEqual([{ type: 'external_customer_id', token: expect.any(String), data_key: null }])
    expect(Object.values(tokens)).not.toContain(vault[0].token)
    const wanted = Object.values(tokens).map((token) => ({ profileId: profile.id, token }))
    expect(await people.vault.keys(wanted)).toEqual(new Map())
    expect(await profile.count('visitor_assignments')).toBe(1)
  })

  it('covers every id and key of a merged customer', async () => {
    const first = await profile.knows({ external_customer_id: 'K-1', email: 'a@example.com' })
    const second = await profile.knows({ store_customer_id: 'S-2', phone: '+56987654321' })
    const [a, b] = [await profile.customerOf(first.email), await profile.customerOf(second.phone)]
    await profile.knows({ email: 'a@example.com', phone: '+56987654321' })
    await erase({ request_ref: 'r', identifier_type: 'store_customer_id', identifier_value: 'S-2' })
    const erased = await rowsOf('SELECT id FROM customers WHERE profile_id = $1 AND erasure_id IS NOT NULL')
    expect(erased.map(({ id }) => id).sort()).toEqual([a, b].sort())
    expect((await erase({ request_ref: 'other', customer_key: 'K-1' })).body.data.request_ref).toBe('r')
  })

  it('keeps a mark on every key, where the graph let a customer hold two', async () => {
    const { email } = await profile.knows({ external_customer_id: 'K-1', email: 'a@example.com' })
    const other = await profile.knows({ external_customer_id: 'K-2' })
    await people.pool.query('UPDATE identifiers SET customer_id = $3 WHERE profile_id = $1 AND token = $2', [
      profile.id,
      other.external_customer_id,
      await profile.customerOf(email),
    ])
    const { body } = await erase({ request_ref: 'r', email: 'a@example.com' })
    for (const customer_key of ['K-1', 'K-2']) {
      expect(await erase({ request_ref: `again-${customer_key}`, customer_key })).toMatchObject({ status: 200, body })
    }
  })
})

describe('a repeated erasure', () => {
  it('answers 200 with the original receipt for the same ref and selector, in any spelling', async () => {
    await profile.knows(ana)
    const first = await erase({ request_ref: 'r', email: ana.email, reason: 'other' })
    expect(first.status).toBe(202)
    const again = await erase({ request_ref: 'r', email: 'Ana@EXAMPLE.com' })
    expect(again).toEqual({ ...first, status: 200, text: again.text })
    expect(await profile.count('erasures')).toBe(1)
  })

  it('by the key of the same customer under the same ref is the same request', async () => {
    await profile.knows(ana)
    await erase({ request_ref: 'r', email: ana.email })
    expect((await erase({ request_ref: 'r', customer_key: ana.external_customer_id })).status).toBe(200)
  })

  it('under a new ref answers 200 with the first receipt by key, and 404 by e-mail or phone', async () => {
    await profile.knows(ana)
    const first = await erase({ request_ref: 'r', customer_key: ana.external_customer_id })
    const again = await erase({ request_ref: 'r2', customer_key: ana.external_customer_id })
    expect(again).toMatchObject({ status: 200, body: first.body })
    for (const selector of [{ email: ana.email }, { phone: ana.phone }]) {
      expect(await erase({ request_ref: 'r3', ...selector })).toMatchObject({
        status: 404,
        body: { error: { code: 'customer_not_found' } },
      })
    }
  })

  it('with a ref that was used with another selector is 400, says no more than that, and erases nobody', async () => {
    await profile.knows(ana)
    await profile.knows({ email: 'ben@example.com' })
    await erase({ request_ref: 'r', customer_key: ana.external_customer_id })
    // Whose address hers was cannot be known any more.
    for (const email of ['ben@example.com', 'nobody@example.com', ana.email]) {
      const { status, body } = await erase({ request_ref: 'r', email })
      expect({ status, ...body.error }).toMatchObject({ status: 400, code: 'invalid_parameter' })
      expect(body.error.message).toBe('request_ref: was used with another selector')
    }
    expect(await people.vault.find(profile.id, [{ type: 'email', value: 'ben@example.com' }])).toEqual([
      expect.any(String),
    ])
  })

  it('by twenty at once is one erasure', async () => {
    await profile.knows(ana)
    const answers = await Promise.all(Array.from({ length: 20 }, () => erase({ request_ref: 'r', email: ana.email })))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.data.erasure_id)).size).toBe(1)
  })
})

describe('an erasure is refused', () => {
  it.each([
    ['without a ref', { customer_key: 'C-1001' }, 'request_ref'],
    ['with a malformed ref', { request_ref: 'a b', customer_key: 'C-1001' }, 'request_ref'],
    ['with a long ref', { request_ref: 'x'.repeat(201), customer_key: 'C-1001' }, 'request_ref'],
    ['with an e-mail as ref', { request_ref: 'ana@example.com', customer_key: 'C-1001' }, 'request_ref'],
    ['with a phone in the ref', { request_ref: 'dsr:56987654321', customer_key: 'C-1001' }, 'request_ref'],
    ['with a national id as ref', { request_ref: '12.345.678-5', customer_key: 'C-1001' }, 'request_ref'],
    ['with a bad ref before a bad selector', { request_ref: '', email: 'nonsense' }, 'request_ref'],
    ['without a selector', { request_ref: 'r' }, 'customer_key'],
    ['with two selectors', { request_ref: 'r', customer_key: 'C-1001', email: 'ana@example.com' }, 'email'],
    ['with a customer id', { request_ref: 'r', customer_profile_id: randomUUID() }, 'customer_profile_id'],
    ['with half a pair', { request_ref: 'r', identifier_type: 'national_id' }, 'identifier_value'],
    ['with the other half', { request_ref: 'r', identifier_value: '1' }, 'identifier_type'],
    [
      'with an unknown type',
      { request_ref: 'r', identifier_type: 'email', identifier_value: 'a@b.cl' },
      'identifier_type',
    ],
    ['with no e-mail', { request_ref: 'r', email: 'nonsense' }, 'email'],
    ['with a number as e-mail', { request_ref: 'r', email: 7 }, 'email'],
    ['with a phone of no country', { request_ref: 'r', phone: '987654321' }, 'phone'],
    [
      'with a wrong check digit',
      { request_ref: 'r', identifier_type: 'national_id', identifier_value: '12345678-9' },
      'identifier_value',
    ],
    ['with an empty key', { request_ref: 'r', customer_key: ' ' }, 'customer_key'],
    ['with an unknown reason', { request_ref: 'r', customer_key: 'C-1001', reason: 'boredom' }, 'reason'],
  ])('%s: 400 that names the field', async (_, body, field) => {
    await profile.knows(ana)
    const answer = await erase(body)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter' } } })
    expect(answer.body.error.fields[0].field).toBe(field)
    expect(answer.body.error.message.startsWith(field)).toBe(true)
    expect(await profile.count('erasures')).toBe(0)
  })

  it('when the body is no JSON object', async () => {
    for (const payload of ['[]', '"x"', 'null', '{']) {
      const answer = await people.app.inject({
        method: 'POST',
        url: '/api/v1/customers/erasures',
        headers: { ...profile.headers, 'content-type': 'application/json' },
        payload,
      })
      expect(answer.json().error, payload).toMatchObject({ code: 'invalid_request', status: 400 })
    }
  })

  it('for whom nobody of this profile is: 404, also for another profile’s customer and a stand-in', async () => {
    const other = await people.profile()
    await other.knows(ana)
    for (const selector of [
      { customer_key: 'C-1001' },
      { email: ana.email },
      { customer_key: 'guest' },
      { customer_key: 'x'.repeat(300) },
    ]) {
      expect(await erase({ request_ref: 'r', ...selector })).toMatchObject({
        status: 404,
        body: { error: { code: 'customer_not_found' } },
      })
    }
    expect(await other.count('erasures')).toBe(0)
    expect((await other.post('/customers/erasures', { request_ref: 'r', email: ana.email })).status).toBe(202)
  })

  it('without attribution:write', async () => {
    const reader = await bearer(people.pool, profile.id, ['conversions:read', 'customers:read'])
    const answer = await profile.post('/customers/erasures', { request_ref: 'r', email: ana.email }, reader)
    expect(answer.body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['attribution:write'] })
  })
})

describe('a receipt', () => {
  it('is read with conversions:read too, and only in its own profile', async () => {
    await profile.knows(ana)
    const { body } = await erase({ request_ref: 'r', email: ana.email })
    const reader = await bearer(people.pool, profile.id, ['conversions:read'])
    expect((await profile.get(`/customers/erasures/${body.data.erasure_id}`, reader)).body).toEqual(body)
    const other = await people.profile(['conversions:read'])
    for (const id of [body.data.erasure_id, randomUUID(), 'nonsense']) {
      expect(await other.get(`/customers/erasures/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'erasure_not_found' } },
      })
    }
  })

  it('goes with its profile', async () => {
    await profile.knows(ana)
    await erase({ request_ref: 'r', email: ana.email })
    await people.pool.query('DELETE FROM profiles WHERE id = $1', [profile.id])
    expect([
      await profile.count('erasures'),
      await profile.count('erasure_audits'),
      await profile.count('vault'),
    ]).toEqual([0, 0, 0])
  })
})

describe('after an erasure', () => {
  it('a message that was on its way brings neither value nor name nor company back', async () => {
    const tokens = await profile.knows(ana, { firstName: 'Ana' })
    await erase({ request_ref: 'r', email: ana.email })
    const fresh = randomUUID()
    const before = await rowsOf('SELECT * FROM identifiers WHERE profile_id = $1 ORDER BY token')
    await people.identity.observe([
      {
        profileId: profile.id,
        evidence: '000000000000001:x:0',
        isTrusted: true,
        visitorId: randomUUID(),
        identifiers: [
          { type: 'email', token: tokens.email, value: ana.email },
          { type: 'store_customer_id', token: fresh, value: 'S-77' },
        ],
        firstName: 'Ana',
        lastName: 'Rojas',
      },
    ])
    expect(await rowsOf('SELECT * FROM identifiers WHERE profile_id = $1 ORDER BY token')).toEqual(before)
    expect(await rowsOf('SELECT first_name FROM customers WHERE profile_id = $1')).toEqual([{ first_name: null }])
    expect(await profile.count('visitor_assignments')).toBe(0)
  })

  it('the same message still tells of the others it was batched with', async () => {
    const tokens = await profile.knows(ana)
    await erase({ request_ref: 'r', email: ana.email })
    const ben = randomUUID()
    const say = (identifiers: { type: 'email' | 'phone'; token: string; value: string }[]) => ({
      profileId: profile.id,
      evidence: `00000000000000${identifiers.length}:x:0`,
      isTrusted: true,
      visitorId: null,
      identifiers,
      firstName: null,
      lastName: null,
    })
    await people.identity.observe([
      say([
        { type: 'email', token: tokens.email, value: ana.email },
        { type: 'phone', token: ben, value: '+56911112222' },
      ]),
      say([{ type: 'phone', token: ben, value: '+56911112222' }]),
    ])
    expect(await profile.customerOf(ben)).not.toBe(await profile.customerOf(tokens.email))
  })

  it('the same e-mail is somebody new, the same key stays erased', async () => {
    const before = await profile.knows(ana)
    const old = await profile.customerOf(before.email)
    await erase({ request_ref: 'r', email: ana.email })
    const after = await profile.knows({ email: ana.email })
    expect(after.email).not.toBe(before.email)
    expect(await profile.customerOf(after.email)).not.toBe(old)
    const [key] = await people.vault.tokens(profile.id, [{ type: 'external_customer_id', value: 'C-1001' }])
    expect(key).toMatchObject({ isErased: true })
    expect((await erase({ request_ref: 'r2', email: ana.email })).status).toBe(202)
  })

  it('no link joins the erased with the living, whatever unblocks it', async () => {
    const one = await profile.knows({ national_id: '12345678-5', email: 'family@example.com' })
    const two = await profile.knows({ national_id: '11222333-9', email: 'family@example.com' })
    expect(await profile.customerOf(one.email)).not.toBe(await profile.customerOf(two.national_id))
    await erase({ request_ref: 'r', email: 'family@example.com' })
    // The blocked link is weighed again whenever its cluster is.
    await profile.knows({ national_id: '11222333-9', phone: '+56911112222' })
    const links = await rowsOf('SELECT blocked_by FROM identity_links WHERE profile_id = $1 AND blocked_by IS NOT NULL')
    expect(links).toEqual([{ blocked_by: 'erased' }])
  })

  it('nothing personal is in the log or in an answer', async () => {
    await profile.knows(ana, { firstName: 'Ana' })
    const answers = [
      await erase({ request_ref: 'r', email: ana.email }),
      await erase({ request_ref: 'r', email: 'nonsense of ana@example.com' }),
      await erase({ request_ref: 'r9', email: ana.email }),
    ]
    for (const text of [people.log(), ...answers.map((answer) => answer.text)]) {
      expect(text).not.toContain('ana@example.com')
      expect(text).not.toContain(await profile.customerOf((await profile.knows({ email: 'x@example.com' })).email))
    }
  })
})
