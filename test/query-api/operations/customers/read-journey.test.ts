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

async function person() {
  const profile = await api.profile()
  const [phone, laptop, mail, customer] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  for (const subject of [phone, laptop, mail]) await profile.world.belongs(subject, customer)
  await profile.world.ad('111')
  await profile.world.hit(phone, at('01T00:00:00'), { ad: '111' })
  await profile.world.hit(laptop, at('02T00:00:00'))
  await profile.world.outcome(mail, at('03T00:00:00'), { amount: 1_234 })
  return { ...profile, customer, phone }
}

async function known() {
  const profile = await api.profile()
  return { ...profile, ...peopleOf(api.pool, profile.world) }
}

describe('GET /customers/{id}/journey', () => {
  it('tells the events of all devices in order of time', async () => {
    const { id, read, customer } = await person()
    const { status, body } = await read(`/customers/${customer}/journey`)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ profile_id: id })
    expect(body.data.total_count).toBe(3)
    expect(body.data.events).toMatchObject([
      {
        event_type: 'page_view',
        event_time: '2026-10-01T00:00:00.000Z',
        channel: 'paid_social',
        campaign: 'Campaign 1',
      },
      { event_type: 'page_view', event_time: '2026-10-02T00:00:00.000Z', channel: 'direct', campaign: null },
      { event_type: 'payment_received', value_amount: 12.34, currency: 'USD', url: null, is_synthetic: false },
    ])
  })

  it('marks an off-site conversion that was given a touch of its own, and names its campaign', async () => {
    const { world, read } = await api.profile()
    await world.ad('111')
    const lead = randomUUID()
    await world.outcome(lead, at('02T00:00:00'), { type: 'lead_created', source: 'crm', ad: '111' })
    await world.recompute()
    const { body } = await read(`/customers/${lead}/journey`)
    expect(body.data.events).toMatchObject([
      { event_type: 'lead_created', is_synthetic: true, channel: 'paid_social', campaign: 'Campaign 1' },
    ])
  })

  it('shows a payment in the journey of its assigned payer alone', async () => {
    const { world, read } = await api.profile()
    const [sender, payer] = [randomUUID(), randomUUID()]
    const payment = await world.outcome(sender, at('02T00:00:00'))
    await world.act(payment, 'payer', { payer })
    expect((await read(`/customers/${payer}/journey`)).body.data.total_count).toBe(1)
    expect((await read(`/customers/${sender}/journey`)).body.data.total_count).toBe(0)
  })

  it('pages by offset and limit, and counts past the end as well', async () => {
    const { read, customer } = await person()
    const page = async (query: string) => (await read(`/customers/${customer}/journey?${query}`)).body.data
    expect(await page('limit=1&offset=1')).toMatchObject({ total_count: 3, events: [{ channel: 'direct' }] })
    expect(await page('offset=50')).toEqual({ total_count: 3, events: [] })
    for (const query of ['limit=0', 'limit=101', 'offset=-1']) {
      expect((await read(`/customers/${customer}/journey?${query}`)).status).toBe(400)
    }
  })

  it('takes the id of a visitor who is nobody’s yet, and leads on when it has become somebody’s', async () => {
    const { world, read, meet } = await known()
    const visitor = randomUUID()
    await world.hit(visitor, at('01T00:00:00'))
    expect((await read(`/customers/${visitor}/journey`)).body.data.total_count).toBe(1)
    const { subject } = await meet({ email: 'a@shop.cl', visitor })
    await world.outcome(subject, at('02T00:00:00'))
    for (const id of [visitor, visitor.toUpperCase()]) {
      expect((await read(`/customers/${id}/journey`)).body.data.total_count).toBe(2)
    }
    // The token of an identifier is nothing that was ever published.
    expect((await read(`/customers/${subject}/journey`)).body.data.total_count).toBe(0)
  })

  it('leads from a customer that was merged away to its survivor', async () => {
    const { world, read, meet } = await known()
    const mail = await meet({ email: 'a@shop.cl', at: at('01T00:00:00') })
    const phone = await meet({ phone: '+56911112222', at: at('02T00:00:00') })
    await world.outcome(mail.subject, at('05T00:00:00'))
    await world.outcome(phone.subject, at('06T00:00:00'))
    const one = await meet({ email: 'a@shop.cl', phone: '+56911112222', at: at('03T00:00:00') })
    expect(one.customer).toBe(mail.customer)
    for (const id of [mail.customer, phone.customer]) {
      expect((await read(`/customers/${id}/journey`)).body.data.total_count).toBe(2)
    }
  })

  it('is empty once its customer was erased, by whatever id', async () => {
    const { world, read, meet, erase } = await known()
    const visitor = randomUUID()
    const { customer, subject } = await meet({ external_customer_id: 'C-1', email: 'a@shop.cl', visitor })
    await world.hit(visitor, at('01T00:00:00'))
    const payment = await world.outcome(subject, at('02T00:00:00'))
    await world.recompute()
    await erase({ type: 'email', value: 'a@shop.cl' })
    for (const handle of [customer, visitor]) {
      expect((await read(`/customers/${handle}/journey`)).body.data).toEqual({ events: [], total_count: 0 })
    }
    expect((await read('/customers/journey?customer_key=C-1')).body.error.code).toBe('customer_not_found')
    expect((await read('/customers/journey?email=a%40shop.cl')).body.error.code).toBe('customer_not_found')
    const kept = await read(`/conversions/${payment}/journey`)
    expect(kept.body).toMatchObject({
      data: { total_count: 2 },
      meta: { conversion: { customer_key: null }, person: { name: null, identifiers: [] } },
    })
    const listed = await read('/customers?goal=payment_received&date_from=2026-10-01&date_to=2026-10-31')
    expect(listed.body.data).toMatchObject([{ customer_profile_id: customer, name: null, email: null, revenue: 100 }])
  })

  it('leaves out the hits of bots', async () => {
    const { world, read } = await api.profile()
    const visitor = randomUUID()
    await world.hit(visitor, at('01T00:00:00'), { isBot: true })
    expect((await read(`/customers/${visitor}/journey`)).body.data.total_count).toBe(0)
  })

  it('names the campaign by whatever names it, and by the tag where nothing does', async () => {
    const { world, read } = await api.profile()
    const visitor = randomUUID()
    await world.ad('111')
    const clicks = [
      { utm: { content: '111' } },
      { utm: { term: 's1' } },
      { utm: { id: 'c1' } },
      { utm: { campaign: 'spring' } },
    ]
    for (const [n, click] of clicks.entries()) await world.hit(visitor, at('01T00:00:00') + n, click)
    const { body } = await read(`/customers/${visitor}/journey`)
    expect(body.data.events.map((event: { campaign: string }) => event.campaign)).toEqual([
      'Campaign 1',
      'Campaign 1',
      'Campaign 1',
      'spring',
    ])
  })

  it('answers no events for another profile’s customer, an unknown id and no id at all', async () => {
    const { customer } = await person()
    const other = await api.profile()
    for (const id of [customer, randomUUID(), 'not-an-id', "'; DROP TABLE hits"]) {
      const { status, body } = await other.read(`/customers/${encodeURIComponent(id)}/journey`)
      expect(status).toBe(200)
      expect(body.data).toEqual({ events: [], total_count: 0 })
    }
  })
})
