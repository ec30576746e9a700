import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditReference } from '../../../../domain/credit-reference.ts'
import { ids } from '../../../../domain/ids.ts'
import { models } from '../../../../domain/models.ts'
import { peopleOf } from '../customers/known-people.ts'
import { openReadingApp } from '../reading-app.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

const day = 86_400_000
const paidAt = Date.UTC(2026, 9, 20)

async function sale() {
  const profile = await api.profile()
  const { world, id } = profile
  const people = peopleOf(api.pool, world)
  const browser = randomUUID()
  const { subject, customer } = await people.meet({
    external_customer_id: 'C-9',
    email: 'eva@shop.cl',
    firstName: 'Eva',
    visitor: browser,
  })
  await world.ad('111')
  const times = [paidAt - 40 * day, paidAt - 10 * day, paidAt - 2 * day]
  const touches = [
    await world.hit(browser, times[0]!, { ad: '111' }),
    await world.hit(browser, times[1]!, { utm: { campaign: 'Campaign 1' } }),
    await world.hit(browser, times[2]!),
  ]
  await world.hit(browser, times[2]! + 60_000)
  const payment = await world.outcome(subject, paidAt, { id: ids.serverEvent(id, 'order/77') })
  await world.hit(browser, paidAt + day, { ad: '111' })
  await world.outcome(subject, paidAt + 2 * day)
  await world.recompute()
  const path = touches.map((touch, n) => ({ id: touch, timeMs: times[n]!, isDirect: n === 2 }))
  const creditOf = (touch: string) =>
    Object.fromEntries(
      models.map((model) => {
        const { path: taken, weights } = creditReference(path, paidAt, 30, model)
        const index = taken.findIndex((one) => one.id === touch)
        return [model, index === -1 ? 0 : weights[index]! / 1e9]
      }),
    )
  return { ...profile, customer, touches, payment, creditOf, project: await profile.reader(['conversions:read']) }
}

describe('GET /conversions/{id}/journey', () => {
  it('takes the outcome’s id, the conversion’s, and the caller’s own event key', async () => {
    const { read, id, payment } = await sale()
    const conversion = ids.conversion(id, payment)
    const { status, body } = await read(`/conversions/${payment}/journey`)
    expect(status).toBe(200)
    expect(body.meta.conversion).toEqual({
      customer_key: 'C-9',
      conversion_id: conversion,
      outcome_event_id: payment,
      conversion_type: 'payment_received',
      conversion_time: new Date(paidAt).toISOString(),
    })
    for (const handle of [conversion, payment.toUpperCase(), encodeURIComponent('order/77')]) {
      expect((await read(`/conversions/${handle}/journey`)).body).toEqual(body)
    }
  })

  it('tells the events up to the conversion, with the credit of each touch and whether it took part', async () => {
    const { read, payment, customer, touches, creditOf } = await sale()
    const { body } = await read(`/conversions/${payment}/journey`)
    expect(body.data.total_count).toBe(5)
    const [early, tagged, direct, again, paid] = body.data.events
    expect(early).toMatchObject({ event_type: 'page_view', campaign: 'Campaign 1', in_window: false })
    expect(early.credit).toEqual(creditOf(touches[0]!))
    expect(tagged).toMatchObject({ in_window: true, credit: creditOf(touches[1]!) })
    expect(direct).toMatchObject({ in_window: true, credit: creditOf(touches[2]!) })
    expect(again).toMatchObject({ event_type: 'page_view', in_window: null, credit: null })
    expect(paid).toMatchObject({ event_type: 'payment_received', value_amount: 100, in_window: null, credit: null })
    expect(body.meta.person).toMatchObject({
      customer_profile_id: customer,
      name: 'Eva',
      counts: { conversions: 2 },
      conversions: [{ conversion_time: new Date(paidAt + 2 * day).toISOString() }, { revenue: 100 }],
    })
  })

  it('projects touches without customers:read, and nothing else', async () => {
    const { project, payment, id, touches, creditOf } = await sale()
    const { status, body } = await project(`/conversions/${payment}/journey`)
    expect(status).toBe(200)
    expect(Object.keys(body.meta).sort()).toEqual(['conversion', 'profile_id'])
    expect(body.meta.conversion).toMatchObject({ customer_key: 'C-9', conversion_id: ids.conversion(id, payment) })
    expect(body.data.total_count).toBe(3)
    expect(body.data.events).toMatchObject([
      { touch_id: touches[0], in_window: false, join_method: 'service_ad_id', ad_external_id: '111' },
      {
        touch_id: touches[1],
        in_window: true,
        join_method: 'campaign_name',
        campaign_external_id: 'c1',
        ad_set_external_id: null,
        ad_external_id: null,
      },
      { touch_id: touches[2], in_window: true, join_method: null, channel: 'direct' },
    ])
    for (const event of body.data.events) {
      expect(event.credit).toEqual(creditOf(event.touch_id))
      expect(Object.keys(event).sort()).toEqual([
        'ad_external_id',
        'ad_set_external_id',
        'campaign_external_id',
        'channel',
        'click_id_kind',
        'credit',
        'in_window',
        'join_method',
        'touch_id',
        'touch_time',
      ])
    }
  })

  it.each([
    { external_customer_id: 'eva@shop.cl' },
    { external_customer_id: '12.345.678-5' },
    { external_customer_id: '987654321', phone: '+56987654321' },
  ])('keeps a key that is a person’s, as of %o, from those who may not read persons', async (eva) => {
    const profile = await api.profile()
    const people = peopleOf(api.pool, profile.world)
    const { subject } = await people.meet(eva)
    const payment = await profile.world.outcome(subject, paidAt)
    await profile.world.recompute()
    const project = await profile.reader(['conversions:read'])
    const hidden = await project(`/conversions/${payment}/journey`)
    expect(hidden.body.meta.conversion.customer_key).toBeNull()
    const told = await profile.read(`/conversions/${payment}/journey`)
    expect(told.body.meta.conversion.customer_key).toBe(eva.external_customer_id)
    const byKey = await project(`/customers/journey?customer_key=${encodeURIComponent(eva.external_customer_id)}`)
    expect(byKey.body.meta.conversion.customer_key).toBeNull()
  })

  it('tells the journey of an anonymous converter, who has no key', async () => {
    const { world, read } = await api.profile()
    const visitor = randomUUID()
    await world.hit(visitor, paidAt - day)
    const payment = await world.outcome(visitor, paidAt)
    await world.recompute()
    const { body } = await read(`/conversions/${payment}/journey`)
    expect(body.data.total_count).toBe(2)
    expect(body.meta).toMatchObject({
      conversion: { customer_key: null },
      person: { customer_profile_id: visitor, name: null, identifiers: [], counts: { conversions: 1, browsers: 1 } },
    })
  })

  it('counts a synthetic touch of the conversion itself', async () => {
    const { world, read, reader } = await api.profile()
    await world.ad('111')
    const lead = await world.outcome(randomUUID(), paidAt, { type: 'lead_created', source: 'crm', ad: '111' })
    await world.recompute()
    const { body } = await read(`/conversions/${lead}/journey`)
    expect(body.data.events).toMatchObject([{ is_synthetic: true, in_window: true, credit: { last_touch: 1 } }])
    const projected = await (await reader(['conversions:read']))(`/conversions/${lead}/journey`)
    expect(projected.body.data.events).toMatchObject([{ ad_external_id: '111', credit: { linear: 1 } }])
  })

  it('shows the newest 50 conversions of the person, and pages the events', async () => {
    const { world, read } = await api.profile()
    const subject = randomUUID()
    const outcomes: string[] = []
    for (let n = 0; n < 52; n++) outcomes.push(await world.outcome(subject, paidAt + n * 1000))
    await world.recompute()
    const { body } = await read(`/conversions/${outcomes[51]}/journey?limit=2&offset=50`)
    expect(body.data).toMatchObject({ total_count: 52, events: [{}, {}] })
    expect(body.meta.person.counts.conversions).toBe(52)
    expect(body.meta.person.conversions).toHaveLength(50)
    expect(body.meta.person.conversions[0].outcome_event_id).toBe(outcomes[51])
  })

  it('answers conversion_not_found for what is none here', async () => {
    const { payment, world, read } = await sale()
    const uncounted = await world.outcome(randomUUID(), paidAt, { type: 'nothing_known' })
    await world.recompute()
    const other = await api.profile()
    const foreign = await other.read(`/conversions/${payment}/journey`)
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'conversion_not_found' } } })
    for (const handle of [
      uncounted,
      randomUUID(),
      'no-such-key',
      '%00',
      "'%20OR%201=1",
      'é'.repeat(20),
      'x'.repeat(2000),
    ]) {
      const { status, body } = await read(`/conversions/${handle}/journey`)
      expect([status, body.error.code]).toEqual([404, 'conversion_not_found'])
    }
  })

  it('gives partners of a healthcare profile the projection only', async () => {
    const { id, payment } = await sale()
    await api.pool.query(
      'UPDATE workspaces SET is_healthcare_agency = true WHERE id = (SELECT workspace_id FROM profiles WHERE id = $1)',
      [id],
    )
    const partner = await api.caller('GET', id, ['customers:read', 'conversions:read'])
    const { body } = await partner(`/conversions/${payment}/journey`)
    expect(body.meta).not.toHaveProperty('person')
    expect(body.data.events[0]).not.toHaveProperty('event_type')
  })
})
