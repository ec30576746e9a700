import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReadingApp } from '../reading-app.ts'
import { peopleOf } from './known-people.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
let shop: Awaited<ReturnType<typeof open>>
const customers: Record<string, string> = {}

const at = (text: string) => Date.parse(`2026-10-${text}Z`)

async function open(options: { currency?: string } = {}) {
  const profile = await api.profile(options)
  const search = async (query: string) => profile.read(`/customers/search?${query}`)
  const found = async (typed: string) => {
    const { body } = await search(`q=${encodeURIComponent(typed)}`)
    return body.data.map((row: { first_name: string }) => row.first_name)
  }
  return { ...profile, search, found, ...peopleOf(api.pool, profile.world) }
}

beforeAll(async () => {
  api = await openReadingApp()
  shop = await open()
  const people = [
    { email: 'maria.gonzalez@shop.cl', phone: '+56912345678', firstName: 'María', lastName: 'González' },
    { email: 'mg@example.cl', firstName: 'Mario', lastName: 'Gómez' },
    { email: 'catherine@shop.cl', phone: '+14155552671', firstName: 'Catherine', lastName: 'O’Brien' },
    { email: 'ximena@other.cl', firstName: 'Ximena', lastName: 'Li' },
  ]
  for (const person of people) customers[person.firstName] = (await shop.meet(person)).customer
})
afterAll(() => api.close())

describe('GET /customers/search', () => {
  it('tells all of a candidate', async () => {
    const { world, meet, search, id } = await open()
    const visitor = randomUUID()
    const { customer, subject } = await meet({
      email: 'ana@shop.cl',
      phone: '+56987654321',
      firstName: 'Ana',
      lastName: 'Peña',
      visitor,
      at: at('05T00:00:00'),
    })
    await world.hit(visitor, at('01T00:00:00'))
    await world.outcome(subject, at('06T00:00:00'), { amount: 1_250 })
    const refunded = await world.outcome(subject, at('07T00:00:00'), { amount: 1_010, source: 'payment' })
    await world.act(refunded, 'refund', { refunded: 1_000 })
    await world.outcome(subject, at('08T00:00:00'), { type: 'lead_created', amount: 99_900 })
    await world.recompute()
    const { status, body } = await search('q=ana')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          customer_profile_id: customer,
          first_name: 'Ana',
          last_name: 'Peña',
          primary_email: 'ana@shop.cl',
          primary_phone: '+56987654321',
          first_seen_at: '2026-10-01T00:00:00.000Z',
          last_seen_at: '2026-10-08T00:00:00.000Z',
          conversion_count: 3,
          cash_revenue: '12.60',
          sources: ['payment', 'server', 'tracker'],
        },
      ],
      pagination: { has_next: false, cursor: null },
      meta: { profile_id: id },
    })
  })

  it('tells of a customer without events what is known', async () => {
    const { body } = await shop.search('q=ximena')
    expect(body.data).toMatchObject([
      {
        primary_phone: null,
        conversion_count: 0,
        cash_revenue: '0.00',
        sources: [],
        first_seen_at: expect.any(String),
      },
    ])
  })

  it('writes money with the decimals of the currency', async () => {
    const { meet, search } = await open({ currency: 'CLP' })
    await meet({ email: 'pesos@shop.cl', firstName: 'Pesos' })
    expect((await search('q=pesos')).body.data[0].cash_revenue).toBe('0')
  })

  it.each([
    ['María', 'the name'],
    ['gonzalez', 'the last name, without accents'],
    ['GONZÁLEZ maria', 'both in any order'],
    ['mar gon', 'beginnings of both'],
    ['maria.gonzalez@shop.cl', 'the e-mail'],
    ['onzalez@sh', 'a part of the e-mail'],
    ['+56 9 1234 5678', 'the phone as it is written'],
    ['(9) 1234-5678', 'the national phone'],
    ['009 1234 5678', 'the phone with zeros before it'],
    ['12345678', 'its last digits'],
    ['Gonzales', 'a wrong letter'],
    ['Maria Gonzalz', 'a letter too few'],
    ['gonzzalez', 'a letter too many'],
    ['maria.gonzales@shop.cl', 'a wrong letter in the e-mail'],
  ])('finds María by %s: %s', async (typed) => {
    expect((await shop.found(typed))[0]).toBe('María')
  })

  it('finds by two letters', async () => {
    expect((await shop.found('ma')).sort()).toEqual(['Mario', 'María'])
    expect(await shop.found('li')).toEqual(['Ximena'])
    expect(await shop.found('mg')).toEqual(['Mario'])
  })

  it('shows those who match before those who nearly do', async () => {
    expect(await shop.found('maria')).toEqual(['María', 'Mario'])
  })

  it('answers an empty list under two characters, and for nobody', async () => {
    for (const typed of ['', 'm', ' m ', 'qqqqqq', '%', '__', "'; --"]) {
      expect(await shop.found(typed), typed).toEqual([])
    }
  })

  it('leaves out who is excluded, and keeps to the limit', async () => {
    const { body } = await shop.search(`q=ma&exclude=${customers.Mario}`)
    expect(body.data.map((row: { first_name: string }) => row.first_name)).toEqual(['María'])
    expect((await shop.search('q=cl&limit=2')).body.data.length).toBeLessThanOrEqual(2)
    expect((await shop.search('q=.cl&limit=2')).body.data).toHaveLength(2)
  })

  it.each(['', 'q=ma&limit=0', 'q=ma&limit=51', 'q=ma&exclude=7', `q=${'x'.repeat(201)}`, 'q=%00%00%00'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await shop.search(query)
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter'])
    },
  )

  it('knows the survivor of a merge alone, and nobody who was erased', async () => {
    const { meet, found, search, erase } = await open()
    await meet({ email: 'one@shop.cl', firstName: 'Berta', at: at('01T00:00:00') })
    const other = await meet({ phone: '+56911112222', firstName: 'Berta', at: at('02T00:00:00') })
    expect(await found('berta')).toHaveLength(2)
    await meet({ email: 'one@shop.cl', phone: '+56911112222', at: at('03T00:00:00') })
    expect(await found('berta')).toEqual(['Berta'])
    // A merged-away id leads to its survivor here as well.
    expect((await search(`q=berta&exclude=${other.customer}`)).body.data).toEqual([])
    await erase({ type: 'email', value: 'one@shop.cl' })
    for (const typed of ['berta', 'one@shop.cl', '911112222']) expect(await found(typed)).toEqual([])
  })

  it('shows nobody of another profile, and needs customers:read', async () => {
    const other = await open()
    expect(await other.found('maria')).toEqual([])
    const { status } = await (await shop.reader(['conversions:read']))('/customers/search?q=maria')
    expect(status).toBe(403)
  })
})
