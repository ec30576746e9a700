import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDesk } from './desk.ts'

let desk: Awaited<ReturnType<typeof openDesk>>
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const day = '2026-10-02T10:00:00Z'

describe('PUT /payments/{id}/installment', () => {
  it('marks and unmarks, tells the pipeline of each change once, and logs who did it', async () => {
    const { paid, call, outbox } = await desk.profile()
    const id = await paid(randomUUID(), day)
    for (const is_installment of [true, true, false]) {
      const { status, body } = await call('PUT', `/${id}/installment`, { is_installment })
      expect([status, body.data.is_installment]).toEqual([200, is_installment])
    }
    expect(await outbox()).toBe(2)
    const { body } = await call('GET', `/${id}/actions`)
    expect(body.data).toMatchObject([
      { kind: 'installment', is_installment: false, by: { credential: 'api_key' } },
      { kind: 'installment', is_installment: true },
    ])
    expect(body.data[0].by.id).toBeTruthy()
    expect(Date.parse(body.data[0].at)).toBeGreaterThan(Date.now() - 60_000)
  })

  it('logs the id of a request, unless it is a text of the caller’s choice, which could name somebody', async () => {
    const { paid, call, keyFor } = await desk.profile()
    const headers = await keyFor(['commerce:read', 'attribution:write'])
    const id = await paid(randomUUID(), day)
    const own = randomUUID()
    for (const [is_installment, sent] of [
      [true, '56987654321'],
      [false, own],
    ] as const) {
      await call('PUT', `/${id}/installment`, { is_installment }, { ...headers, 'x-request-id': sent } as never)
    }
    const { body } = await call('GET', `/${id}/actions`)
    expect(body.data).toMatchObject([{ request_id: own }, { request_id: null }])
  })

  it('never shows an installment as a first payment, not even before that is derived again', async () => {
    const { paid, call, world } = await desk.profile()
    const id = await paid(randomUUID(), day)
    await world.recompute()
    expect((await call('GET', `/${id}`)).body.data).toMatchObject({ is_installment: false, is_first_payment: true })
    const { body } = await call('PUT', `/${id}/installment`, { is_installment: true })
    expect(body.data).toMatchObject({ is_installment: true, is_first_payment: false })
  })

  it.each([{}, { is_installment: 'yes' }])('refuses %j', async (sent) => {
    const { paid, call } = await desk.profile()
    const { status, body } = await call('PUT', `/${await paid(randomUUID(), day)}/installment`, sent)
    expect([status, body.error.code]).toEqual([422, 'validation_error'])
  })

  it('needs attribution:write', async () => {
    const { paid, call, keyFor } = await desk.profile()
    const headers = await keyFor(['commerce:read'])
    const id = await paid(randomUUID(), day)
    const { body } = await call('PUT', `/${id}/installment`, { is_installment: true }, headers)
    expect(body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['attribution:write'] })
  })
})

describe('POST and DELETE /payments/{id}/refund', () => {
  it('records what it is told, in the payment’s currency, and takes it back', async () => {
    const { paid, call, outbox } = await desk.profile()
    const id = await paid(randomUUID(), day, { amount: 10_000, refunded: 3_000 })
    const recorded = await call('POST', `/${id}/refund`, { amount: '20.05' })
    expect(recorded.status).toBe(201)
    expect(recorded.body.data).toMatchObject({
      refunded_manual: '20.05',
      refunded_provider: '30.00',
      net_amount: '49.95',
      is_refund_capped: false,
    })
    const undone = await call('DELETE', `/${id}/refund`)
    expect([undone.status, undone.body.data.refunded_manual, undone.body.data.net_amount]).toEqual([
      200,
      '0.00',
      '70.00',
    ])
    expect((await call('DELETE', `/${id}/refund`)).body.error.code).toBe('not_found')
    expect(await outbox()).toBe(2)
  })

  it('takes nothing off a payment that is told again in another currency', async () => {
    const { paid, call } = await desk.profile()
    const buyer = randomUUID()
    const id = await paid(buyer, day, { amount: 10_000 })
    await call('POST', `/${id}/refund`, { amount: '50.00' })
    await paid(buyer, day, { id, amount: 90_000, currency: 'CLP' })
    expect((await call('GET', `/${id}`)).body.data).toMatchObject({
      currency: 'CLP',
      refunded_manual: '0',
      net_amount: '90000',
    })
    expect((await call('GET', `/${id}/actions`)).body.data).toMatchObject([
      { kind: 'refund', refunded_manual: '50.00', currency: 'USD' },
    ])
    expect((await call('DELETE', `/${id}/refund`)).status).toBe(200)
    expect((await call('POST', `/${id}/refund`, { amount: '40000' })).body.data).toMatchObject({ net_amount: '50000' })
  })

  it('without an amount refunds all that remains', async () => {
    const { paid, call } = await desk.profile({ currency: 'CLP' })
    const id = await paid(randomUUID(), day, { amount: 45_990, refunded: 990 })
    expect((await call('POST', `/${id}/refund`)).body.data).toMatchObject({ refunded_manual: '45000', net_amount: '0' })
    await call('DELETE', `/${id}/refund`)
    expect((await call('POST', `/${id}/refund`, {})).body.data).toMatchObject({ refunded_manual: '45000' })
  })

  it.each([0, -5, '0', '0.004', 70.004, 70.01, '70.01', 1e300, 'a lot', true, '', ' '])(
    'refuses the amount %j',
    async (amount) => {
      const { paid, call, outbox } = await desk.profile()
      const id = await paid(randomUUID(), day, { amount: 10_000, refunded: 3_000 })
      const { status, body } = await call('POST', `/${id}/refund`, { amount })
      expect([status, body.error.code]).toEqual([422, 'amount_invalid'])
      expect(await outbox()).toBe(0)
    },
  )

  it('takes the whole remainder to the last unit', async () => {
    const { paid, call } = await desk.profile()
    const id = await paid(randomUUID(), day, { amount: 10_000, refunded: 3_000 })
    expect((await call('POST', `/${id}/refund`, { amount: 70 })).body.data.net_amount).toBe('0.00')
  })

  it('refuses a refund of what the provider has reversed as a whole', async () => {
    const { paid, call } = await desk.profile()
    const id = await paid(randomUUID(), day, { amount: 10_000, refunded: 10_000 })
    expect((await call('POST', `/${id}/refund`, {})).body.error.code).toBe('amount_invalid')
  })

  it('takes one alone, even of many at once', async () => {
    const { paid, call, outbox } = await desk.profile()
    const id = await paid(randomUUID(), day)
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', `/${id}/refund`, { amount: 1 })))
    const codes = answers.map(({ status, body }) => (status === 201 ? 'recorded' : body.error.code)).sort()
    expect(codes).toEqual([...Array(7).fill('manual_refund_exists'), 'recorded'])
    expect(answers.find(({ status }) => status !== 201)!.status).toBe(422)
    expect(await outbox()).toBe(1)
  })

  it('caps the total at the payment when the provider refunds later, and says so', async () => {
    const { paid, world, call } = await desk.profile()
    const buyer = randomUUID()
    const id = await paid(buyer, day, { amount: 10_000 })
    await call('POST', `/${id}/refund`, { amount: 60 })
    await world.act(id, 'refund', { refunded: 6_000 })
    await paid(buyer, day, { id, amount: 10_000, refunded: 9_000 })
    await world.recompute()
    expect((await call('GET', `/${id}`)).body.data).toMatchObject({
      refunded_provider: '90.00',
      refunded_manual: '60.00',
      net_amount: '0.00',
      is_refund_capped: true,
    })
    expect(await world.credits()).toMatchObject([{ net_minor: 0 }])
  })
})

describe('PUT /payments/{id}/payer', () => {
  it('is incomplete until the credit has moved; the same request then confirms it and decides nothing new', async () => {
    const { customer, paid, world, call, outbox } = await desk.profile()
    const ana = await customer()
    const id = await paid(randomUUID(), day)
    await world.recompute()
    const early = await call('PUT', `/${id}/payer`, { customer_profile_id: ana.id })
    expect([early.status, early.body.error.code]).toEqual([502, 'payment_assignment_incomplete'])
    expect(Number(early.headers['retry-after'])).toBeGreaterThan(0)
    expect(await outbox()).toBe(1)

    await world.act(id, 'payer', { payer: ana.subject })
    await world.recompute()
    const confirmed = await call('PUT', `/${id}/payer`, { customer_profile_id: ana.id })
    expect(confirmed.status).toBe(200)
    expect(confirmed.body.data).toMatchObject({
      status: 'identified',
      is_payer_assigned: true,
      payer: { customer_profile_id: ana.id, primary_email: ana.email },
    })
    expect(await outbox()).toBe(1)
    expect(await world.credits()).toMatchObject([{ customer_id: ana.id }])
    expect((await call('GET', `/${id}/actions`)).body.data).toMatchObject([
      { kind: 'payer', customer_profile_id: ana.id, refunded_manual: null },
    ])
  })

  it('of nobody when nobody was assigned changes nothing', async () => {
    const { paid, call, outbox } = await desk.profile()
    const { status, body } = await call('PUT', `/${await paid(randomUUID(), day)}/payer`, { customer_profile_id: null })
    expect([status, body.data.is_payer_assigned]).toEqual([200, false])
    expect(await outbox()).toBe(0)
  })

  it('refuses whoever is no active customer of the profile', async () => {
    const [mine, other] = [await desk.profile(), await desk.profile()]
    const id = await mine.paid(randomUUID(), day)
    const merged = await mine.customer()
    await desk.pool.query('UPDATE customers SET merged_into = $2 WHERE id = $1', [merged.id, randomUUID()])
    for (const customer of [(await other.customer()).id, merged.id, randomUUID(), 'nobody', '']) {
      const { status, body } = await mine.call('PUT', `/${id}/payer`, { customer_profile_id: customer })
      expect([status, body.error.code]).toEqual([422, 'customer_not_in_profile'])
    }
    expect((await mine.call('PUT', `/${id}/payer`, {})).body.error.code).toBe('validation_error')
    expect(await mine.outbox()).toBe(0)
  })
})

it('no log line holds a person', () => {
  expect(desk.log.text()).not.toContain('@example.com')
})
