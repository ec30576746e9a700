import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDesk } from './desk.ts'

let desk: Awaited<ReturnType<typeof openDesk>>
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

const october = 'from=2026-10-01&to=2026-10-31'
/** Every route of one payment. */
const onOne = [
  ['GET', '', undefined],
  ['GET', '/actions', undefined],
  ['PUT', '/installment', { is_installment: true }],
  ['PUT', '/payer', { customer_profile_id: null }],
  ['POST', '/refund', {}],
  ['DELETE', '/refund', undefined],
] as const

describe('GET /payments', () => {
  it('shows payments of a time, newest first, in exact decimals', async () => {
    const { id, customer, paid, world, list } = await desk.profile()
    const ana = await customer()
    const first = await paid(ana.subject, '2026-10-02T10:00:00Z', { amount: 1_999, externalId: 'ch_1' })
    const second = await paid(randomUUID(), '2026-10-03T10:00:00Z', {
      amount: 10_000,
      refunded: 2_500,
      currency: 'CLP',
    })
    await paid(randomUUID(), '2026-11-01T00:00:00Z')
    await world.recompute()
    const { status, body } = await list(october)
    expect(status).toBe(200)
    expect(body.meta).toEqual({ profile_id: id, payer_withheld: false })
    expect(body.pagination).toEqual({ has_next: false, cursor: null })
    expect(body.data).toMatchObject([
      {
        payment_id: second,
        amount: '10000',
        net_amount: '7500',
        refunded_provider: '2500',
        refunded_manual: '0',
        currency: 'CLP',
        status: 'unidentified',
        payer: null,
        is_first_payment: true,
      },
      {
        payment_id: first,
        source: 'payment',
        provider: 'stripe',
        external_id: 'ch_1',
        occurred_at: '2026-10-02T10:00:00.000Z',
        amount: '19.99',
        net_amount: '19.99',
        status: 'identified',
        is_installment: false,
        is_first_payment: true,
        is_refund_capped: false,
        is_payer_assigned: false,
        payer: {
          customer_profile_id: ana.id,
          first_name: 'Ana',
          last_name: 'Rojas',
          primary_email: ana.email,
          primary_phone: '+56987654321',
        },
      },
    ])
  })

  it('counts cash that servers told of as payments, and nothing else', async () => {
    const { paid, list } = await desk.profile()
    const sale = await paid(randomUUID(), '2026-10-02T10:00:00Z', { source: 'server', provider: '', externalId: '' })
    await paid(randomUUID(), '2026-10-02T10:00:00Z', { source: 'server', type: 'lead_created' })
    await paid(randomUUID(), '2026-10-02T10:00:00Z', { source: 'server', type: 'never_defined' })
    const { body } = await list(october)
    expect(body.data).toMatchObject([{ payment_id: sale, source: 'server', provider: null, external_id: null }])
  })

  it('takes a deal for what its stage says, whatever it calls itself: where that counts as nothing it is no payment', async () => {
    const { paid, list, call, world } = await desk.profile()
    await world.stage('paid up', 'payment_received')
    await world.stage('undecided', 'unmapped')
    const deal = { source: 'crm', provider: 'hubspot', type: 'payment_received' } as const
    const plain = await paid(randomUUID(), '2026-10-03T10:00:00Z', deal)
    const undecided = await paid(randomUUID(), '2026-10-02T10:00:00Z', { ...deal, stage: 'undecided' })
    const paidUp = await paid(randomUUID(), '2026-10-01T10:00:00Z', { ...deal, type: 'opportunity', stage: 'paid up' })
    expect((await list(october)).body.data).toMatchObject([{ payment_id: plain }, { payment_id: paidUp }])
    for (const [method, path, body] of onOne) {
      const answer = await call(method, `/${undecided}${path}`, body)
      expect([answer.status, answer.body.error?.code], `${method} ${path}`).toEqual([404, 'not_found'])
    }
  })

  it('takes what carries no money for no payment: it is in no list and nothing can be decided about it', async () => {
    const { paid, list, call, outbox } = await desk.profile()
    const sale = await paid(randomUUID(), '2026-10-02T10:00:00Z', { amount: 1 })
    const ofServer = { source: 'server', provider: '', externalId: '' } as const
    const free = [
      await paid(randomUUID(), '2026-10-03T10:00:00Z', { amount: 0 }),
      await paid(randomUUID(), '2026-10-03T10:00:00Z', { amount: null }),
      await paid(randomUUID(), '2026-10-03T10:00:00Z', { ...ofServer, amount: 0 }),
    ]
    for (const status of ['all', 'unidentified']) {
      const { body } = await list(`${october}&status=${status}&limit=1`)
      expect(body.data).toMatchObject([{ payment_id: sale }])
      expect(body.pagination).toEqual({ has_next: false, cursor: null })
    }
    for (const id of free) {
      for (const [method, path, body] of onOne) {
        const answer = await call(method, `/${id}${path}`, body)
        expect([answer.status, answer.body.error?.code], `${method} ${path}`).toEqual([404, 'not_found'])
      }
    }
    expect(await outbox()).toBe(0)
  })

  it('keeps unidentified ones alone, without those whose payer was just assigned', async () => {
    const { customer, paid, list, call } = await desk.profile()
    const ana = await customer()
    await paid(ana.subject, '2026-10-02T10:00:00Z')
    const nobodys = await paid(randomUUID(), '2026-10-03T10:00:00Z')
    const assigned = await paid(randomUUID(), '2026-10-04T10:00:00Z')
    expect((await list(`${october}&status=unidentified`)).body.data).toHaveLength(2)
    await call('PUT', `/${assigned}/payer`, { customer_profile_id: ana.id })
    const { body } = await list(`${october}&status=unidentified`)
    expect(body.data.map((row: { payment_id: string }) => row.payment_id)).toEqual([nobodys])
    expect((await list(`${october}&status=all`)).body.data).toHaveLength(3)
  })

  it('pages without gaps or repeats through payments of the same moment', async () => {
    const { paid, list } = await desk.profile()
    for (let n = 0; n < 7; n++) await paid(randomUUID(), n < 4 ? '2026-10-02T10:00:00Z' : '2026-10-03T10:00:00Z')
    const whole = (await list(october)).body.data.map((row: { payment_id: string }) => row.payment_id)
    expect(whole).toHaveLength(7)
    const seen: string[] = []
    let cursor = ''
    for (let pages = 1; ; pages++) {
      const { body } = await list(`${october}&limit=3${cursor}`)
      seen.push(...body.data.map((row: { payment_id: string }) => row.payment_id))
      if (!body.pagination.has_next) {
        expect([pages, body.pagination.cursor]).toEqual([3, null])
        break
      }
      cursor = `&cursor=${body.pagination.cursor}`
    }
    expect(seen).toEqual(whole)
  })

  it('shows a payment once, at the time it was last told to have', async () => {
    const { world, list } = await desk.profile()
    const buyer = randomUUID()
    const id = await world.outcome(buyer, Date.parse('2026-10-02T10:00:00Z'))
    await world.outcome(buyer, Date.parse('2026-10-05T10:00:00Z'), { id })
    const { body } = await list(october)
    expect(body.data).toMatchObject([{ payment_id: id, occurred_at: '2026-10-05T10:00:00.000Z' }])
  })

  it('takes days of the profile’s time zone, both whole, and times as they are', async () => {
    const { paid, list } = await desk.profile({ timezone: 'America/Santiago' })
    await paid(randomUUID(), '2026-10-02T02:59:59.999Z')
    const mine = await paid(randomUUID(), '2026-10-02T03:00:00.000Z')
    const last = await paid(randomUUID(), '2026-10-03T02:59:59.999Z')
    const ids = async (query: string) =>
      (await list(query)).body.data.map((row: { payment_id: string }) => row.payment_id)
    expect(await ids('from=2026-10-02&to=2026-10-02')).toEqual([last, mine])
    expect(await ids('from=2026-10-02T03:00:00Z&to=2026-10-02T03:00:00Z')).toEqual([mine])
  })

  it.each([
    ['status_invalid', 422, `${october}&status=paid`],
    ['range_invalid', 422, ''],
    ['range_invalid', 422, 'from=2026-10-01'],
    ['range_invalid', 422, 'to=2026-10-01'],
    ['range_invalid', 422, 'from=soon&to=2026-10-01'],
    ['range_invalid', 422, 'from=2026-02-30&to=2026-03-01'],
    ['range_invalid', 422, 'from=2026-10-02&to=2026-10-01'],
    ['range_invalid', 422, 'from=2025-01-01&to=2026-10-01'],
    ['range_invalid', 422, 'from=2025-01-01&to=2026-01-02'],
    ['range_invalid', 422, 'from=2025-01-01&to=2026-01-02T00:00:00.001Z'],
    ['range_invalid', 422, 'from=2025-01-01T12:00:00Z&to=2026-01-02T12:00:00.001Z'],
    ['invalid_parameter', 400, `${october}&limit=0`],
    ['invalid_parameter', 400, `${october}&limit=201`],
    ['invalid_parameter', 400, `${october}&cursor=nonsense`],
  ])('refuses with %s (%i): %s', async (code, status, query) => {
    const { list } = await desk.profile()
    const answer = await list(query)
    expect([answer.status, answer.body.error?.code]).toEqual([status, code])
  })

  it.each([
    ['UTC', 'from=2025-01-01&to=2026-01-01'],
    ['UTC', 'from=2025-01-01T12:00:00Z&to=2026-01-02T12:00:00Z'],
    // Clocks go back twice and forward once in these days, so that they take an hour more.
    ['America/Santiago', 'from=2025-04-05&to=2026-04-05'],
  ])('takes 366 days, both ends counted (%s: %s)', async (timezone, query) => {
    const { list } = await desk.profile({ timezone })
    expect((await list(query)).status).toBe(200)
  })

  it('refuses 367 days that take an hour less, since clocks go forward twice in them', async () => {
    const { list } = await desk.profile({ timezone: 'America/Santiago' })
    expect((await list('from=2025-09-06&to=2026-09-07')).body.error?.code).toBe('range_invalid')
  })

  it('withholds the payer without customers:read, and everything without commerce:read', async () => {
    const { customer, paid, list, keyFor } = await desk.profile()
    const ana = await customer()
    await paid(ana.subject, '2026-10-02T10:00:00Z')
    const { body } = await list(october, await keyFor(['commerce:read']))
    expect(body.meta.payer_withheld).toBe(true)
    expect(body.data).toMatchObject([{ status: 'identified', payer: null }])
    expect(JSON.stringify(body)).not.toContain(ana.id)
    expect((await list(october, await keyFor(['customers:read']))).body.error.code).toBe('insufficient_scope')
  })

  it('shows nothing of another profile', async () => {
    const [mine, theirs] = [await desk.profile(), await desk.profile()]
    const payment = await mine.paid(randomUUID(), '2026-10-02T10:00:00Z')
    expect((await theirs.list(october)).body.data).toEqual([])
    for (const [method, path, body] of onOne) {
      const answer = await theirs.call(method, `/${payment}${path}`, body)
      expect([answer.status, answer.body.error.code], `${method} ${path}`).toEqual([404, 'not_found'])
      const malformed = await theirs.call(method, `/not-an-id${path}`, body)
      expect([malformed.status, malformed.body.error.code]).toEqual([422, 'payment_ref_invalid'])
    }
  })
})
