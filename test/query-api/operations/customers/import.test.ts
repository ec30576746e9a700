import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decode } from '../../../../schemas/codec.ts'
import { topics } from '../../../../schemas/topics.ts'
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

const send = (rows: unknown, more: object = {}) => profile.post('/customers', { rows, ...more })
const statuses = async (rows: unknown[]) => {
  const { body } = await send(rows)
  return body.data.results.map(({ status, reason }: { status: string; reason?: string }) => reason ?? status)
}
const ids = ({ body }: { body: { data: { results: { customer_profile_id: string }[] } } }) =>
  body.data.results.map(({ customer_profile_id }) => customer_profile_id)
const rowsOf = async (sql: string) => (await people.pool.query(sql, [profile.id])).rows
const sent = async () =>
  (
    await people.pool.query("SELECT value FROM outbox WHERE topic = 'identity' AND key LIKE $1 ORDER BY id", [
      `${profile.id}%`,
    ])
  ).rows.map(({ value }) => decode(topics.identity, value))

describe('an import', () => {
  it('answers every row in the order sent, with a summary', async () => {
    await profile.knows({ email: 'ben@example.com' })
    const { status, body } = await send([
      { email: 'ana@example.com', first_name: 'Ana' },
      { external_id: 'C-7' },
      { email: 'ben@example.com' },
      null,
      { phone: '12' },
    ])
    expect(status).toBe(200)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(body).toEqual({
      data: {
        results: [
          { index: 0, status: 'created', customer_profile_id: id },
          { index: 1, status: 'rejected', customer_profile_id: null, reason: 'no_identifier' },
          { index: 2, status: 'matched', customer_profile_id: id },
          { index: 3, status: 'rejected', customer_profile_id: null, reason: 'malformed_row' },
          { index: 4, status: 'rejected', customer_profile_id: null, reason: 'invalid_phone' },
        ],
        summary: { total: 5, created: 1, matched: 1, rejected: 3 },
      },
      meta: { profile_id: profile.id },
    })
    expect(await profile.count('customers')).toBe(2)
    expect(
      await rowsOf("SELECT count(*)::int AS n FROM vault WHERE profile_id = $1 AND type = 'external_customer_id'"),
    ).toEqual([{ n: 0 }])
  })

  it('matches what it created when it is sent again, and tells nobody twice', async () => {
    const rows = [{ email: 'ana@example.com', phone: '987654321', external_id: 'C-1' }, { national_id: '12.345.678-5' }]
    const first = await send(rows)
    const messages = (await sent()).length
    const again = await send(rows)
    expect(ids(again)).toEqual(ids(first))
    expect(again.body.data.summary).toEqual({ total: 2, created: 0, matched: 2, rejected: 0 })
    expect(await sent()).toHaveLength(messages)
  })

  it('creates a person once, however often the batch names them', async () => {
    const answer = await send([
      { email: 'ana@example.com' },
      { email: 'ANA@example.com', phone: '987654321' },
      { phone: '+56 9 8765 4321' },
    ])
    expect(answer.body.data.results.map(({ status }: { status: string }) => status)).toEqual([
      'created',
      'matched',
      'matched',
    ])
    expect(new Set(ids(answer)).size).toBe(1)
    expect(await profile.count('customers')).toBe(1)
  })

  it('sees through a chain whose last row joins the first ones', async () => {
    const answer = await send([
      { email: 'a@example.com' },
      { phone: '+56911112222' },
      { email: 'a@example.com', phone: '+56911112222' },
    ])
    expect(answer.body.data.summary).toMatchObject({ created: 1, matched: 2 })
    expect(new Set(ids(answer)).size).toBe(1)
  })

  it('joins two customers whom a row names together; both ids lead to the survivor', async () => {
    const a = await profile.knows({ email: 'a@example.com' })
    const b = await profile.knows({ phone: '+56911112222' })
    const [first, second] = [await profile.customerOf(a.email), await profile.customerOf(b.phone)]
    const answer = await send([{ phone: '+56911112222' }, { email: 'a@example.com', phone: '+56911112222' }])
    expect(ids(answer)).toEqual([first, first])
    expect(await statuses([{ phone: '+56911112222' }])).toEqual(['matched'])
    expect(await people.identity.survivor(profile.id, second)).toBe(first)
    expect(await rowsOf('SELECT kind FROM identity_ledger WHERE profile_id = $1')).toEqual([{ kind: 'merge' }])
  })

  it('keeps two people apart whom a guard keeps apart', async () => {
    const answer = await send([
      { email: 'family@example.com', national_id: '12345678-5' },
      { email: 'family@example.com', national_id: '11222333-9' },
    ])
    expect(answer.body.data.summary.created).toBe(2)
    expect(new Set(ids(answer)).size).toBe(2)
  })

  it('fills names in only where there are none; of two rows the first wins', async () => {
    await profile.knows({ email: 'ana@example.com' }, { firstName: 'Ana' })
    await send([
      { email: 'ana@example.com', first_name: 'Anna', last_name: 'Rojas' },
      { email: 'ana@example.com', last_name: 'Roja' },
    ])
    await send([{ email: 'ana@example.com', last_name: 'Other' }])
    expect(await rowsOf('SELECT first_name, last_name FROM customers WHERE profile_id = $1')).toEqual([
      { first_name: 'Ana', last_name: 'Rojas' },
    ])
  })

  it('is a message for each row that said something new, sealed, under the tokens it was taken in with', async () => {
    await send([{ email: 'ana@example.com', first_name: 'Ana' }, { email: 'nonsense' }])
    const messages = await sent()
    expect(messages).toHaveLength(1)
    const [message] = messages
    if (message?.kind !== 'ok') throw new Error('undecodable')
    const [{ token }] = await rowsOf('SELECT token FROM identifiers WHERE profile_id = $1')
    expect(message.value).toMatchObject({
      profile_id: profile.id,
      identifiers: [{ type: 'email', token }],
      traits: { token },
    })
    const [row] = (await people.pool.query('SELECT value FROM outbox WHERE key LIKE $1', [`${profile.id}%`])).rows
    for (const personal of ['ana@', 'Ana']) expect(row.value.includes(personal)).toBe(false)
  })

  it('tells the warehouse whose the identifiers are', async () => {
    const [id] = ids(await send([{ email: 'ana@example.com' }]))
    expect(await rowsOf('SELECT customer_id FROM identity_changes WHERE profile_id = $1')).toEqual([
      { customer_id: id },
    ])
  })

  it('rejects a row with an erased key, and learns nothing of what stands beside it', async () => {
    await profile.knows({ external_customer_id: 'C-1', email: 'ana@example.com' })
    await profile.post('/customers/erasures', { request_ref: 'r', customer_key: 'C-1' })
    expect(await statuses([{ external_id: 'C-1', email: 'ana@example.com', phone: '+56911112222' }])).toEqual([
      'erased',
    ])
    expect(await profile.count('vault')).toBe(1)
    expect(await statuses([{ email: 'ana@example.com' }])).toEqual(['created'])
  })

  it('of twenty at once creates each person once', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => ({ email: `p${n}@example.com`, phone: `+5691111222${n}` }))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n % 2 ? rows : rows.toReversed())))
    const created = answers.reduce((sum, { body }) => sum + body.data.summary.created, 0)
    expect(created).toBe(5)
    expect(await profile.count('customers')).toBe(5)
  })

  it('takes a thousand rows in as many statements as two', async () => {
    let queries = 0
    const counting = new Proxy(people.pool, {
      get: (target, name) => {
        const member = Reflect.get(target, name)
        if (name === 'query') queries++
        if (name === 'connect') {
          return async () => {
            const client = await target.connect()
            return new Proxy(client, {
              get: (inner, key) => {
                if (key === 'query') queries++
                const value = Reflect.get(inner, key)
                return typeof value === 'function' ? value.bind(inner) : value
              },
            })
          }
        }
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const counted = await openPeople({ postgres: counting })
    const own = await counted.profile()
    const row = (n: number) => ({
      email: `q${n}@example.com`,
      phone: `+569${String(10_000_000 + n * 37)}`,
      external_id: `Q-${n}`,
      first_name: 'Q',
    })
    const measure = async (rows: object[]) => {
      const before = queries
      const { status, body } = await own.post('/customers', { rows })
      expect(status).toBe(200)
      return { queries: queries - before, summary: body.data.summary }
    }
    const few = await measure([row(1), row(2)])
    const many = await measure(Array.from({ length: 1000 }, (_, n) => row(n + 10)))
    expect(many.summary).toMatchObject({ created: 1000 })
    expect(many.queries).toBe(few.queries)
    await counted.close()
  })
})

describe('an import is refused', () => {
  it.each([
    ['without rows', {}],
    ['with rows that are no list', { rows: {} }],
    ['with 1,001 rows', { rows: Array(1001).fill({ email: 'ana@example.com' }) }],
    ['for another country', { rows: [], country: 'AR' }],
    ['for no country', { rows: [], country: 7 }],
  ])('%s: 422, and nothing is written', async (_, body) => {
    const answer = await profile.post('/customers', body)
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_error' } } })
    expect(await profile.count('customers')).toBe(0)
  })

  it('without attribution:write', async () => {
    const reader = await bearer(people.pool, profile.id, ['customers:read'])
    expect((await profile.post('/customers', { rows: [] }, reader)).body.error.code).toBe('insufficient_scope')
  })

  it('takes an empty batch, a thousand rows and a lower-case country', async () => {
    expect((await send([], { country: 'cl' })).body.data).toEqual({
      results: [],
      summary: { total: 0, created: 0, matched: 0, rejected: 0 },
    })
    expect((await send(Array(1000).fill({ email: 'ana@example.com' }))).body.data.summary).toMatchObject({
      created: 1,
      matched: 999,
    })
  })

  it('keeps what was sent out of the log', () => {
    expect(people.log()).not.toContain('example.com')
  })
})
