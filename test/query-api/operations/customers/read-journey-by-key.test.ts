import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReadingApp } from '../reading-app.ts'
import { peopleOf } from './known-people.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)

async function shopper() {
  const profile = await api.profile()
  const { world } = profile
  const people = peopleOf(api.pool, world)
  const browser = randomUUID()
  const { customer, subject } = await people.meet({
    external_customer_id: 'C-7',
    email: 'ana@shop.cl',
    phone: '+56912345678',
    firstName: 'Ana',
    lastName: 'Peña',
    visitor: browser,
  })
  await world.ad('111')
  await world.hit(browser, at('01T00:00:00'), { ad: '111' })
  await world.hit(browser, at('02T00:00:00'))
  await world.outcome(subject, at('03T00:00:00'), { amount: 5_000 })
  await world.outcome(subject, at('04T00:00:00'), { amount: 3_000, refunded: 1_000 })
  await world.recompute()
  return { ...profile, ...people, customer, project: await profile.reader(['conversions:read']) }
}

describe('GET /customers/journey', () => {
  it('tells the whole timeline and who it is of, by key, e-mail or phone', async () => {
    const { read, customer, id } = await shopper()
    const { status, body } = await read('/customers/journey?customer_key=C-7')
    expect(status).toBe(200)
    expect(body.data.total_count).toBe(4)
    expect(body.data.events[0]).toMatchObject({ event_type: 'page_view', campaign: 'Campaign 1', is_synthetic: false })
    expect(body.data.events[0]).not.toHaveProperty('id')
    expect(body.meta).toMatchObject({
      profile_id: id,
      person: {
        customer_profile_id: customer,
        name: 'Ana Peña',
        first_name: 'Ana',
        last_name: 'Peña',
        counts: { conversions: 2, identifiers: 3, browsers: 1 },
        total_revenue: 70,
        conversions: [
          { conversion_type: 'payment_received', revenue: 20, conversion_time: '2026-10-04T00:00:00.000Z' },
          { revenue: 50, revenue_type: 'cash' },
        ],
      },
    })
    expect(body.meta.person.identifiers).toEqual(
      expect.arrayContaining([
        { type: 'external_customer_id', value: 'C-7' },
        { type: 'email', value: 'ana@shop.cl' },
        { type: 'phone', value: '+56912345678' },
      ]),
    )
    for (const selector of ['email=ANA%40shop.cl', 'phone=%2B56%209%201234%205678', 'phone=+56912345678']) {
      expect((await read(`/customers/journey?${selector}`)).body).toEqual(body)
    }
  })

  it('pages as the journey by id does', async () => {
    const { read } = await shopper()
    const page = async (query: string) => (await read(`/customers/journey?customer_key=C-7&${query}`)).body.data
    expect(await page('limit=1&offset=3')).toMatchObject({ total_count: 4, events: [{ value_amount: 30 }] })
    expect(await page('offset=9')).toEqual({ total_count: 4, events: [] })
    for (const query of ['limit=0', 'limit=101', 'offset=-1']) {
      expect((await read(`/customers/journey?customer_key=C-7&${query}`)).body.error.code).toBe('invalid_parameter')
    }
  })

  it('projects touches without customers:read, with what they earned of all conversions', async () => {
    const { project, id } = await shopper()
    const { status, body } = await project('/customers/journey?customer_key=C-7')
    expect(status).toBe(200)
    expect(body.meta).toEqual({ profile_id: id, conversion: { customer_key: 'C-7' } })
    expect(body.data.total_count).toBe(2)
    expect(body.data.events).toEqual([
      {
        touch_id: expect.any(String),
        touch_time: '2026-10-01T00:00:00.000Z',
        channel: 'paid_social',
        campaign_external_id: 'c1',
        ad_set_external_id: 's1',
        ad_external_id: '111',
        click_id_kind: null,
        join_method: 'service_ad_id',
        credit: {
          last_touch: 0,
          first_touch: 2,
          linear: 1,
          time_decay: expect.closeTo(0.95, 1),
          last_non_direct: 2,
          position_based: 1,
        },
        in_window: true,
      },
      {
        touch_id: expect.any(String),
        touch_time: '2026-10-02T00:00:00.000Z',
        channel: 'direct',
        campaign_external_id: null,
        ad_set_external_id: null,
        ad_external_id: null,
        click_id_kind: null,
        join_method: null,
        credit: expect.objectContaining({ last_touch: 2, first_touch: 0, linear: 1, last_non_direct: 0 }),
        in_window: true,
      },
    ])
    for (const word of ['ana', 'Peña', '5691', 'shop.cl']) expect(JSON.stringify(body)).not.toContain(word)
  })

  it('needs customers:read for an e-mail or a phone', async () => {
    const { project } = await shopper()
    for (const selector of ['email=ana%40shop.cl', 'phone=%2B56912345678', 'email=nobody%40shop.cl']) {
      const { status, body } = await project(`/customers/journey?${selector}`)
      expect(status).toBe(403)
      expect(body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['customers:read'] })
    }
  })

  it('takes exactly one selector', async () => {
    const { read } = await api.profile()
    for (const query of [
      '',
      '?customer_key=a&email=b%40c.cl',
      '?email=b%40c.cl&phone=%2B56912345678',
      '?email=nonsense',
      '?phone=123',
    ]) {
      const { status, body } = await read(`/customers/journey${query}`)
      expect(status).toBe(400)
      expect(body.error.code).toBe('invalid_parameter')
      expect(body.error.message).not.toContain('nonsense')
    }
  })

  it('knows nobody by an unknown key, a stand-in, or another profile’s key', async () => {
    await shopper()
    const other = await api.profile()
    const queries = ['customer_key=C-7', 'customer_key=', 'customer_key=null', `customer_key=${'x'.repeat(300)}`]
    for (const query of [...queries, 'email=ana%40shop.cl', 'phone=%2B56912345678']) {
      const { status, body } = await other.read(`/customers/journey?${query}`)
      expect(status).toBe(404)
      expect(body.error.code).toBe('customer_not_found')
    }
  })

  it('gives partners of a healthcare profile the projection only, whatever their key says', async () => {
    const { id, customer } = await shopper()
    await api.pool.query("UPDATE profiles SET privacy_mode = 'hipaa' WHERE id = $1", [id])
    const partner = await api.caller('GET', id, ['customers:read', 'conversions:read'])
    const { body } = await partner('/customers/journey?customer_key=C-7')
    expect(body.meta).toEqual({ profile_id: id, conversion: { customer_key: 'C-7' } })
    const byEmail = await partner('/customers/journey?email=ana%40shop.cl')
    expect(byEmail).toMatchObject({ status: 403, body: { error: { code: 'healthcare_scope_forbidden' } } })
    expect((await partner(`/customers/${customer}/journey`)).status).toBe(403)
  })
})
