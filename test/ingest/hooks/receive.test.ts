import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ids } from '../../../domain/ids.ts'
import { open, sealingContext } from '../../../domain/sealing.ts'
import { openPayload } from '../../../ingest/hooks/open-payload.ts'
import { transaction } from '../../../postgres/client.ts'
import { eraseHookPayloads } from '../../../postgres/stores/hook-deliveries.ts'
import { revokeHookEndpoint, rotateHookSecret } from '../../../postgres/stores/hook-endpoints.ts'
import { topics } from '../../../schemas/topics.ts'
import { openHookWorld } from './hook-world.ts'
import { shopifyOrder, shopifyRefund, stripeCharge, stripeEvent, stripeRefund } from './payloads.ts'

let world: Awaited<ReturnType<typeof openHookWorld>>
beforeAll(async () => {
  world = await openHookWorld()
})
afterAll(() => world.close())

const at = (text: string) => ({ created: Date.parse(text) / 1000 })

describe('Stripe', () => {
  it('tells of a charge as a payment of its intent, with the person sealed', async () => {
    const hook = await world.endpoint('stripe')
    const { status, body } = await hook.stripe(stripeEvent('charge.succeeded', stripeCharge()))
    expect([status, body.data.status]).toEqual([200, 'mapped'])
    const [payment] = await hook.payments()
    expect(payment).toMatchObject({
      payment_id: ids.payment(hook.profileId, 'stripe', 'pi_3OmQk2'),
      provider: 'stripe',
      external_id: 'pi_3OmQk2',
      occurred_at: Date.parse('2026-10-02T10:00:00Z'),
      amount_minor: 12_990,
      currency: 'USD',
      refunded_minor: 0,
    })
    expect(payment!.identifiers.map(({ type }) => type)).toEqual(['payments_customer_id', 'email', 'phone'])
    expect(payment!.traits).not.toBeNull()
  })

  it.each([
    ['jpy', 500, 500, 'JPY'],
    ['clp', 45_990, 45_990, 'CLP'],
    ['kwd', 1_500, 1_500, 'KWD'],
    // Two decimals at Stripe, none in ISO 4217.
    ['isk', 150_000, 1_500, 'ISK'],
    ['ugx', 150_000, 1_500, 'UGX'],
    // None at Stripe, two in ISO 4217.
    ['mga', 500, 50_000, 'MGA'],
  ])('reads %s in its own units', async (currency, amount, minor, code) => {
    const hook = await world.endpoint('stripe')
    await hook.stripe(stripeEvent('charge.succeeded', stripeCharge({ currency, amount, amount_captured: amount })))
    expect(await hook.payments()).toMatchObject([{ amount_minor: minor, currency: code }])
  })

  it('counts each refund once, however often and in whatever order it is told', async () => {
    const paid = stripeEvent('charge.succeeded', stripeCharge(), at('2026-10-02T10:00:05Z'))
    const refunded = stripeEvent(
      'charge.refunded',
      stripeCharge({ amount_refunded: 2_990 }),
      at('2026-10-05T10:00:01Z'),
    )
    const refund = stripeEvent('refund.created', stripeRefund(), at('2026-10-05T10:00:00Z'))
    const second = stripeEvent(
      'refund.created',
      stripeRefund({ id: 're_2', amount: 1_000, ...at('2026-10-06T10:00:00Z') }),
      at('2026-10-06T10:00:00Z'),
    )
    const failed = stripeEvent(
      'refund.failed',
      stripeRefund({ id: 're_2', amount: 1_000, status: 'failed', ...at('2026-10-06T10:00:00Z') }),
      at('2026-10-07T10:00:00Z'),
    )
    for (const order of [
      [paid, refund, refunded, second, failed],
      [failed, second, refunded, refund, paid],
      [refund, paid, refund, second, refunded, failed, paid],
      [second, failed, paid, refunded],
    ]) {
      const hook = await world.endpoint('stripe')
      for (const event of order) expect((await hook.stripe(event)).status).toBe(200)
      expect((await hook.payments()).at(-1)).toMatchObject({ amount_minor: 12_990, refunded_minor: 2_990 })
    }
  })

  it('takes a refund that failed off the sum that the charge has told, in whatever order', async () => {
    const paid = stripeEvent('charge.succeeded', stripeCharge(), at('2026-10-02T10:00:05Z'))
    const made = stripeEvent('refund.created', stripeRefund({ status: 'pending' }), at('2026-10-05T10:00:00Z'))
    const refunded = stripeEvent(
      'charge.refunded',
      stripeCharge({ amount_refunded: 2_990 }),
      at('2026-10-05T10:00:01Z'),
    )
    const failed = stripeEvent('refund.failed', stripeRefund({ status: 'failed' }), at('2026-10-09T10:00:00Z'))
    for (const order of [
      [paid, made, refunded, failed],
      [failed, refunded, made, paid],
    ]) {
      const hook = await world.endpoint('stripe')
      for (const event of order) await hook.stripe(event)
      expect((await hook.payments()).at(-1)).toMatchObject({ amount_minor: 12_990, refunded_minor: 0 })
    }
  })

  it('takes nothing off for a refund that fails in the second it was made, in whatever order that is told', async () => {
    const moment = at('2026-10-05T10:00:00Z')
    const told = [
      stripeEvent('refund.created', stripeRefund({ status: 'pending' }), moment),
      stripeEvent('charge.refunded', stripeCharge({ amount_refunded: 2_990 }), moment),
      stripeEvent('refund.failed', stripeRefund({ status: 'failed' }), moment),
    ]
    for (const order of [told, [told[2], told[1], told[0]], [told[1], told[2], told[0]]]) {
      const hook = await world.endpoint('stripe')
      await hook.stripe(stripeEvent('charge.succeeded', stripeCharge()))
      for (const event of order) await hook.stripe(event!)
      expect((await hook.payments()).at(-1)).toMatchObject({ refunded_minor: 0 })
    }
  })

  it('takes what was captured of a larger amount, whose rest Stripe calls refunded', async () => {
    const hook = await world.endpoint('stripe')
    const part = { amount_captured: 7_000, amount_refunded: 5_990 }
    await hook.stripe(stripeEvent('charge.captured', stripeCharge(part)))
    await hook.stripe(stripeEvent('refund.created', stripeRefund({ id: 're_rest', amount: 5_990 })))
    expect((await hook.payments()).at(-1)).toMatchObject({ amount_minor: 7_000, refunded_minor: 0 })
    const later = at('2026-10-05T10:00:01Z')
    await hook.stripe(stripeEvent('charge.refunded', stripeCharge({ ...part, amount_refunded: 6_990 }), later))
    expect((await hook.payments()).at(-1)).toMatchObject({ amount_minor: 7_000, refunded_minor: 1_000 })
  })

  it('ends alike in either order of two tellings of one second', async () => {
    const earlier = stripeEvent('charge.succeeded', stripeCharge({ amount: 10_000, amount_captured: 10_000 }))
    const later = stripeEvent('charge.updated', stripeCharge())
    for (const order of [
      [earlier, later],
      [later, earlier],
    ]) {
      const hook = await world.endpoint('stripe')
      for (const event of order) await hook.stripe(event)
      expect((await hook.payments()).at(-1)).toMatchObject({ amount_minor: 12_990 })
    }
  })

  it('takes what a lost dispute withdrew, and gives it back when it was won', async () => {
    const hook = await world.endpoint('stripe')
    const dispute = { id: 'dp_1', amount: 12_990, currency: 'usd', charge: 'ch_3OmQk2Lkd', payment_intent: 'pi_3OmQk2' }
    await hook.stripe(stripeEvent('charge.succeeded', stripeCharge()))
    await hook.stripe(stripeEvent('charge.dispute.funds_withdrawn', dispute, at('2026-10-08T10:00:00Z')))
    await hook.stripe(stripeEvent('charge.dispute.funds_reinstated', dispute, at('2026-10-20T10:00:00Z')))
    expect((await hook.payments()).map((payment) => payment.refunded_minor)).toEqual([0, 12_990, 0])
  })

  it.each([
    ['test_mode', stripeEvent('charge.succeeded', stripeCharge(), { livemode: false })],
    ['told_by_its_charge', stripeEvent('payment_intent.succeeded', { id: 'pi_3OmQk2', amount: 12_990 })],
    ['not_captured', stripeEvent('charge.succeeded', stripeCharge({ captured: false }))],
    ['not_paid', stripeEvent('charge.updated', stripeCharge({ status: 'pending' }))],
  ])('ignores what changes no figure: %s', async (reason, event) => {
    const hook = await world.endpoint('stripe')
    expect((await hook.stripe(event)).body.data.status).toBe('ignored')
    expect(await hook.deliveries()).toMatchObject([{ status: 'ignored', reason, messages: 0 }])
    expect(await hook.payments()).toEqual([])
  })

  it('keeps what it does not understand, visible and sealed', async () => {
    const hook = await world.endpoint('stripe')
    const unknown = stripeEvent('radar.early_fraud_warning.created', { id: 'issfr_1', note: 'ana@example.com' })
    for (const event of [
      unknown,
      stripeEvent('charge.succeeded', stripeCharge({ amount: 'much' })),
      { hello: 'world' },
    ]) {
      const { status, body } = await hook.stripe(event)
      expect([status, body.data.status]).toEqual([200, 'unmappable'])
    }
    expect(await hook.deliveries()).toMatchObject([
      { topic: 'radar.early_fraud_warning.created', reason: 'unknown_topic', tokens: 1 },
      { topic: 'charge.succeeded', reason: expect.stringMatching(/^data\.object\.amount: /) },
      { topic: 'unknown', reason: expect.stringMatching(/^id: /), tokens: 0 },
    ])
    expect(await hook.payments()).toEqual([])
  })
})

describe('Shopify', () => {
  it('tells of a paid order as a payment, with the store’s customer and the click that led to it', async () => {
    const hook = await world.endpoint('shopify')
    expect((await hook.shopify('orders/paid', shopifyOrder())).body.data.status).toBe('mapped')
    const [payment] = await hook.payments()
    expect(payment).toMatchObject({
      provider: 'shopify',
      external_id: '5678901234567',
      occurred_at: Date.parse('2026-10-02T10:00:01Z'),
      amount_minor: 45_990,
      currency: 'CLP',
      refunded_minor: 0,
      click_ids: { gclid: 'G-123' },
    })
    expect(payment!.identifiers.map(({ type }) => type)).toEqual(['store_customer_id', 'email', 'phone'])
  })

  it('takes known click ids alone from the page that the buyer landed on, whatever else its address says', async () => {
    const hook = await world.endpoint('shopify')
    const long = `eyJ${'a'.repeat(100)}`
    const landing_site = `/?utm_source=x&${long}=1&ana.rojas%40example.com=1&GCLID=G-1&gclid=G-2`
    expect((await hook.shopify('orders/paid', shopifyOrder({ landing_site }))).body.data.status).toBe('mapped')
    expect(await hook.payments()).toMatchObject([{ click_ids: { gclid: 'G-1' } }])
  })

  it('waits for no order of a refund in test mode', async () => {
    const hook = await world.endpoint('shopify')
    await hook.shopify('orders/paid', shopifyOrder({ test: true }))
    const transactions = shopifyRefund().transactions.map((one) => ({ ...one, test: true }))
    await hook.shopify('refunds/create', shopifyRefund({ transactions }))
    expect(await hook.deliveries()).toMatchObject([
      { status: 'ignored', reason: 'test_mode' },
      { status: 'ignored', reason: 'test_mode' },
    ])
  })

  it('counts a refund that comes before its order, and once when the order tells of it too', async () => {
    const hook = await world.endpoint('shopify')
    const early = await hook.shopify('refunds/create', shopifyRefund())
    expect(early.body.data.status).toBe('mapped')
    expect(await hook.deliveries()).toMatchObject([{ reason: 'payment_not_told_yet', messages: 0 }])
    await hook.shopify('orders/paid', shopifyOrder())
    const refunds = [{ id: 890_088_186_047, transactions: shopifyRefund().transactions }]
    const updated_at = '2026-10-04T10:00:01-03:00'
    await hook.shopify('orders/updated', shopifyOrder({ financial_status: 'partially_refunded', refunds, updated_at }))
    // The provider tries its first notification once more, changed in nothing but its order of fields.
    const { id, ...rest } = shopifyOrder()
    expect((await hook.shopify('orders/updated', { ...rest, id })).body.data.status).toBe('superseded')
    expect((await hook.payments()).map((payment) => payment.refunded_minor)).toEqual([10_000, 10_000])
  })

  it.each([
    ['not_paid', 'orders/create', shopifyOrder({ financial_status: 'pending' })],
    ['test_mode', 'orders/paid', shopifyOrder({ test: true })],
    ['no_outcome', 'customers/update', { id: 1 }],
  ])('ignores %s', async (reason, topic, body) => {
    const hook = await world.endpoint('shopify')
    await hook.shopify(topic, body)
    expect(await hook.deliveries()).toMatchObject([{ topic, status: 'ignored', reason }])
  })
})

describe('any other provider', () => {
  it('tells of payments, refunds and a CRM’s outcomes under its own name', async () => {
    const hook = await world.endpoint('generic', 'hubspot')
    const contact = { email: 'ana@example.com', provider_id: 501, first_name: 'Ana' }
    const lead = {
      type: 'outcome',
      external_id: 'deal-7',
      outcome_type: 'closed_won',
      occurred_at: '2026-10-02T10:00:00Z',
      value: '1200.50',
      currency: 'USD',
      contact,
    }
    const payment = {
      type: 'payment',
      external_id: 'p-1',
      occurred_at: '2026-10-02T10:00:00Z',
      amount: 20,
      currency: 'USD',
      customer: { phone: '+56987654321' },
    }
    const refund = { type: 'refund', payment_external_id: 'p-1', external_id: 'r-1', amount: '5.50', currency: 'USD' }
    for (const body of [lead, payment, refund]) expect((await hook.generic(body)).body.data.status).toBe('mapped')
    expect(await hook.told(topics.crmOutcomes)).toMatchObject([
      { provider: 'hubspot', external_id: 'deal-7', outcome_type: 'closed_won', amount_minor: 120_050 },
    ])
    expect((await hook.payments()).map((one) => one.refunded_minor)).toEqual([0, 550])
  })

  it('takes refunds that no amount could hold together', async () => {
    const hook = await world.endpoint('generic', 'paypal')
    await hook.generic({ type: 'payment', external_id: 'p', occurred_at: '2026-10-02', amount: 10, currency: 'USD' })
    const refund = { type: 'refund', payment_external_id: 'p', currency: 'USD', amount: '90071992547409.90' }
    for (const external_id of ['r-1', 'r-2']) {
      expect((await hook.generic({ ...refund, external_id })).body.data?.status).toBe('mapped')
    }
    expect((await hook.payments()).at(-1)).toMatchObject({ refunded_minor: 9_007_199_254_740_990 })
  })

  it('lets an older word about an outcome not undo a newer one', async () => {
    const hook = await world.endpoint('generic', 'crm')
    const deal = (outcome_type: string, as_of: string) => ({
      type: 'outcome',
      as_of,
      external_id: 'deal-7',
      outcome_type,
      occurred_at: '2026-10-02T10:00:00Z',
    })
    await hook.generic(deal('closed_won', '2026-10-03T00:00:00Z'))
    expect((await hook.generic(deal('quote_sent', '2026-10-02T00:00:00Z'))).body.data.status).toBe('superseded')
    expect(await hook.told(topics.crmOutcomes)).toMatchObject([{ outcome_type: 'closed_won' }])
  })

  it.each([
    ['type', { type: 'gift' }],
    [
      'amount',
      { type: 'payment', external_id: 'p-1', occurred_at: '2026-10-02T10:00:00Z', currency: 'USD', amount: -1 },
    ],
    ['occurred_at', { type: 'payment', external_id: 'p', occurred_at: '2001-01-01', currency: 'USD', amount: 1 }],
  ])('keeps as unmappable what breaks a rule of %s', async (field, body) => {
    const hook = await world.endpoint('generic')
    expect((await hook.generic(body)).body.data.status).toBe('unmappable')
    const [delivery] = await hook.deliveries()
    expect(delivery.reason).toContain(field)
  })
})

describe('a refund in another currency than its payment’s', () => {
  const paid = {
    type: 'payment',
    external_id: 'p-1',
    occurred_at: '2026-10-02T10:00:00Z',
    amount: '100.00',
    currency: 'USD',
  }
  const refund = (fields: object) => ({ type: 'refund', payment_external_id: 'p-1', external_id: 'r-1', ...fields })
  const inPesos = refund({ amount: '5000', currency: 'CLP', as_of: '2026-10-03T10:00:00Z' })
  const inDollars = refund({ amount: '50.00', currency: 'USD', as_of: '2026-10-03T10:00:00Z' })
  const reason = 'currency: must be that of the payment'

  it('is unmappable and changes no figure', async () => {
    const hook = await world.endpoint('generic')
    await hook.generic(paid)
    expect((await hook.generic(inPesos)).body.data.status).toBe('unmappable')
    expect((await hook.deliveries()).at(-1)).toMatchObject({ status: 'unmappable', reason, messages: 0 })
    await hook.generic(inDollars)
    await hook.generic(refund({ amount: '9000', currency: 'CLP', as_of: '2026-10-04T10:00:00Z' }))
    await hook.generic({ ...paid, amount: '101.00' })
    expect((await hook.payments()).map((one) => one.refunded_minor)).toEqual([0, 5_000, 5_000])
  })

  it('is found out when it came before its payment', async () => {
    const hook = await world.endpoint('generic')
    await hook.generic(inPesos)
    await hook.generic(refund({ external_id: 'r-2', amount: '1.50', currency: 'USD' }))
    expect((await hook.generic(paid)).body.data.status).toBe('mapped')
    expect(await hook.deliveries()).toMatchObject([
      { status: 'unmappable', reason },
      { status: 'mapped', reason: null },
      { status: 'mapped', reason: null },
    ])
    await hook.generic(inDollars)
    expect((await hook.payments()).map((one) => one.refunded_minor)).toEqual([150, 5_150])
  })

  it('is unmappable of a Shopify order too, unless it says the amount in the order’s own currency', async () => {
    const sold = shopifyOrder({ currency: 'USD', total_price: '59.90' })
    const given = (fields: object) => [{ id: 1, kind: 'refund', status: 'success', ...fields }]
    const abroad = { amount: '900', currency: 'CLP' }
    const both = {
      ...abroad,
      amount_set: {
        presentment_money: { amount: '900', currency_code: 'CLP' },
        shop_money: { amount: '0.95', currency_code: 'USD' },
      },
    }
    const hook = await world.endpoint('shopify')
    await hook.shopify('orders/paid', sold)
    const told = async (topic: string, body: object) => (await hook.shopify(topic, body)).body.data.status
    const updated = (at: string, fields: object) => ({
      ...sold,
      updated_at: at,
      refunds: [{ id: 890_088_186_047, transactions: given(fields) }],
    })
    expect(await told('refunds/create', shopifyRefund({ transactions: given(abroad) }))).toBe('unmappable')
    expect(await told('orders/updated', updated('2026-10-04T10:00:00Z', abroad))).toBe('unmappable')
    expect((await hook.deliveries()).slice(-2)).toMatchObject([
      { reason },
      { reason: 'refunds.transactions.currency: must be that of the order' },
    ])
    expect(await told('refunds/create', shopifyRefund({ transactions: given(both) }))).toBe('mapped')
    expect(await told('orders/updated', updated('2026-10-05T10:00:00Z', both))).toBe('mapped')
    expect((await hook.payments()).map((one) => one.refunded_minor)).toEqual([0, 95, 95])
  })
})

describe('the time of a telling', () => {
  const deal = (outcome_type: string, as_of: string | number) => ({
    type: 'outcome',
    as_of,
    external_id: 'deal-7',
    outcome_type,
    occurred_at: '2026-10-02T10:00:00Z',
  })

  it.each([-8.59e15, 0, '1999-01-01'])('is unmappable where it cannot be: %s', async (as_of) => {
    const hook = await world.endpoint('generic')
    const { status, body } = await hook.generic(deal('closed_won', as_of))
    expect([status, body.data.status]).toEqual([200, 'unmappable'])
    expect(await hook.deliveries()).toMatchObject([{ reason: 'as_of: must not be older than two years' }])
  })

  it('is that of the receipt where a provider’s seconds are in the future, and none where they are no date', async () => {
    const hook = await world.endpoint('stripe')
    for (const [created, became] of [
      [10_000_000_000_000, 'unmappable'],
      [4_000_000_000, 'mapped'],
    ] as const) {
      const { status, body } = await hook.stripe(stripeEvent('charge.succeeded', stripeCharge(), { created }))
      expect([status, body.data.status]).toEqual([200, became])
    }
    const [broken] = await hook.deliveries()
    expect(broken).toMatchObject({ topic: 'charge.succeeded', reason: expect.stringMatching(/^created: /) })
  })

  it('does not keep what is told later from counting when it lies in the future', async () => {
    const hook = await world.endpoint('generic', 'crm')
    await hook.generic(deal('quote_sent', '2099-01-01'))
    expect((await hook.generic(deal('closed_won', Date.now()))).body.data.status).toBe('mapped')
    expect(await hook.told(topics.crmOutcomes)).toMatchObject([
      { outcome_type: 'quote_sent' },
      { outcome_type: 'closed_won' },
    ])
  })
})

describe('the door', () => {
  it('refuses what nobody signed, and keeps nothing of it', async () => {
    const hook = await world.endpoint('stripe')
    const event = stripeEvent('charge.succeeded', stripeCharge())
    const forged = await hook.stripe(event, 'whsec_somebody_elses_secret')
    expect([forged.status, forged.body.error.code, forged.body.error.reason]).toEqual([
      401,
      'unauthorized',
      'wrong_signature',
    ])
    expect((await hook.send({}, JSON.stringify(event))).body.error.reason).toBe('missing_signature')
    expect(await hook.deliveries()).toEqual([])
  })

  it.each(['profile', 'workspace'])(
    'takes nothing in while its %s is archived, and a repeat afterwards',
    async (what) => {
      const hook = await world.endpoint('stripe')
      const archive = (at: string) =>
        world.pool.query(
          `UPDATE ${what}s SET archived_at = ${at}
         WHERE id IN (SELECT unnest(ARRAY[id, workspace_id]) FROM profiles WHERE id = $1)`,
          [hook.profileId],
        )
      const paid = stripeEvent('charge.succeeded', stripeCharge())
      await archive('now()')
      expect(await hook.stripe(paid)).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthorized', reason: 'profile_archived' } },
      })
      expect([await hook.payments(), await hook.deliveries()]).toEqual([[], []])
      // Whoever cannot sign learns nothing of the profile.
      expect((await hook.stripe(paid, 'another')).body.error.reason).toBe('wrong_signature')
      await archive('NULL')
      expect((await hook.stripe(paid)).body.data.status).toBe('mapped')
    },
  )

  it('knows no other address: an unknown, malformed, revoked or another provider’s id is 404', async () => {
    const hook = await world.endpoint('stripe')
    for (const url of [`/hooks/stripe/${randomUUID()}`, '/hooks/stripe/x', `/hooks/shopify/${hook.endpoint.id}`]) {
      expect((await world.hookApp.inject({ method: 'POST', url, payload: '{}' })).statusCode, url).toBe(404)
    }
    await revokeHookEndpoint(world.pool, hook.profileId, hook.endpoint.id)
    expect((await hook.stripe(stripeEvent('charge.succeeded', stripeCharge()))).status).toBe(404)
  })

  it('takes a notification once, even of many at once', async () => {
    const hook = await world.endpoint('stripe')
    const event = stripeEvent('charge.succeeded', stripeCharge())
    const answers = await Promise.all(Array.from({ length: 6 }, () => hook.stripe(event)))
    const statuses = answers.map(({ status, body }) => `${status} ${body.data.status}`).sort()
    expect(statuses).toEqual([...Array(5).fill('200 duplicate'), '200 mapped'])
    expect(await hook.payments()).toHaveLength(1)
  })

  it('maps a repeat of what it did not understand, with the payload that came last', async () => {
    const hook = await world.endpoint('stripe')
    const broken = stripeEvent('charge.succeeded', stripeCharge({ currency: 'zzz' }))
    const mended = { ...broken, data: { object: stripeCharge() } }
    const statuses = []
    for (const event of [broken, broken, mended, mended, broken]) {
      statuses.push((await hook.stripe(event)).body.data.status)
    }
    expect(statuses).toEqual(['unmappable', 'unmappable', 'mapped', 'duplicate', 'duplicate'])
    const [kept, ...others] = await hook.deliveries()
    expect(others).toEqual([])
    expect(kept).toMatchObject({ status: 'mapped', reason: null, messages: 1 })
    const body = await openPayload(world.vault, world.seals, { ...kept, profileId: hook.profileId })
    expect(JSON.parse(body!.toString())).toEqual(mended)
    expect(await hook.payments()).toHaveLength(1)
  })

  it('takes both secrets while a rotation lasts, and the new one alone when it ends at once', async () => {
    const hook = await world.endpoint('stripe')
    const rotate = (secret: string, isAtOnce: boolean) =>
      rotateHookSecret(world.pool, world.seals, { profileId: hook.profileId, id: hook.endpoint.id, secret, isAtOnce })
    const send = async (secret: string) => (await hook.stripe(stripeEvent('charge.failed', {}), secret)).status
    await rotate('whsec_the_second_secret', false)
    expect([await send(hook.secret), await send('whsec_the_second_secret')]).toEqual([200, 200])
    await rotate('whsec_the_third_secret', true)
    expect([await send('whsec_the_second_secret'), await send('whsec_the_third_secret')]).toEqual([401, 200])
  })

  it('takes bytes of any content type, refuses half a megabyte, and keeps what is no JSON', async () => {
    const hook = await world.endpoint('generic')
    const large = await hook.send({ 'content-type': 'text/plain' }, 'x'.repeat(600 * 1024))
    expect([large.status, large.body.error.code]).toEqual([413, 'payload_too_large'])
    expect((await hook.send({ 'content-type': 'text/plain' }, 'x')).status).toBe(401)
  })
})

describe('what is kept', () => {
  it('is the body as it came, sealed under the person’s key and linked to everybody it names', async () => {
    const hook = await world.endpoint('stripe')
    const event = stripeEvent('charge.succeeded', stripeCharge({ description: 'gift for bruno@example.com' }))
    await hook.stripe(event)
    const [{ sealed, sealedUnder, tokens }] = await hook.deliveries()
    expect(tokens).toBe(4)
    expect(sealed.includes('example.com')).toBe(false)
    const keys = await world.vault.keys([{ profileId: hook.profileId, token: sealedUnder }])
    const context = sealingContext(hook.profileId, sealedUnder, 'payload')
    expect(JSON.parse(open(keys.get(sealedUnder)!, context, sealed).toString())).toEqual(event)
  })

  it('goes with any person it names, and what was told of stays', async () => {
    const hook = await world.endpoint('stripe')
    await hook.stripe(stripeEvent('charge.succeeded', stripeCharge({ description: 'gift for bruno@example.com' })))
    const [bruno] = await world.vault.tokens(hook.profileId, [{ type: 'email', value: 'bruno@example.com' }])
    const erased = await transaction(world.pool, (tx) => eraseHookPayloads(tx, hook.profileId, [bruno!.token]))
    expect(erased).toBe(1)
    expect(await hook.deliveries()).toMatchObject([{ status: 'mapped', sealed: null, sealedUnder: null, tokens: 0 }])
    expect(await hook.payments()).toHaveLength(1)
  })

  it('goes with a person of whom an unmappable one has a phone or an id alone', async () => {
    const hook = await world.endpoint('generic')
    const named = [
      [{ note: 'call +56 9 8765 4321' }, { type: 'phone', value: '+56987654321' }],
      [{ customer: { mobile_phone: '987654322', country: 'CL' } }, { type: 'phone', value: '+56987654322' }],
      [{ customer: { external_id: 'C-77' } }, { type: 'external_customer_id', value: 'C-77' }],
    ] as const
    for (const [body, identifier] of named) {
      expect((await hook.generic({ type: 'gift', ...body })).body.data.status).toBe('unmappable')
      const [found] = await world.vault.lookUp(hook.profileId, [identifier])
      const erased = await transaction(world.pool, (tx) => eraseHookPayloads(tx, hook.profileId, [found!.token]))
      expect([erased, (await hook.deliveries()).at(-1)]).toMatchObject([1, { sealed: null }])
    }
  })

  it('is nothing of a customer whose key was erased, and the vault learns nothing of what was sent beside it', async () => {
    const hook = await world.endpoint('generic')
    const key = { type: 'external_customer_id', value: 'C-78' } as const
    const [erased] = await world.vault.tokens(hook.profileId, [key])
    await world.pool.query('UPDATE vault SET data_key = NULL, erasure_id = gen_random_uuid() WHERE token = $1', [
      erased!.token,
    ])
    world.vault.forget()
    const customer = { external_id: 'C-78', email: 'gone@example.com', phone: '+56987654329' }
    const payment = {
      type: 'payment',
      external_id: 'p',
      occurred_at: '2026-10-02',
      currency: 'USD',
      amount: 1,
      customer,
      subject_ref: 'pet-78',
    }
    for (const body of [payment, { ...payment, external_id: 'q', currency: 'ZZZ' }]) await hook.generic(body)
    expect(await hook.deliveries()).toMatchObject([
      { status: 'mapped', sealed: null, tokens: 0 },
      { status: 'unmappable', sealed: null, tokens: 0 },
    ])
    const beside = [
      { type: 'email', value: 'gone@example.com' },
      { type: 'phone', value: '+56987654329' },
      { type: 'subject_ref', value: 'pet-78' },
    ] as const
    expect(await world.vault.lookUp(hook.profileId, beside)).toEqual([undefined, undefined, undefined])
  })

  it('is nothing of a payment whose payer was erased since it was told: whatever comes of it brings nobody back', async () => {
    const hook = await world.endpoint('stripe')
    await hook.stripe(stripeEvent('charge.succeeded', stripeCharge()))
    const [paid] = await hook.payments()
    await world.pool.query('DELETE FROM vault WHERE profile_id = $1', [hook.profileId])
    world.vault.forget()
    const later = [
      stripeEvent('charge.refunded', stripeCharge({ amount_refunded: 2_990 }), at('2026-10-05T10:00:00Z')),
      stripeEvent(
        'charge.dispute.funds_withdrawn',
        stripeRefund({ id: 'dp_1', amount: 1_000, evidence: { customer_email_address: 'Ana.Rojas@Example.com' } }),
        at('2026-10-06T10:00:00Z'),
      ),
    ]
    for (const event of later) await hook.stripe(event)
    const { identifiers, traits } = paid!
    expect((await hook.payments()).slice(1)).toMatchObject([
      { identifiers, traits, refunded_minor: 2_990 },
      { identifiers, traits, refunded_minor: 3_990 },
    ])
    expect((await hook.deliveries()).slice(1)).toMatchObject([
      { status: 'mapped', sealed: null, tokens: 0 },
      { status: 'mapped', sealed: null, tokens: 0 },
    ])
    const { rows } = await world.pool.query('SELECT type FROM vault WHERE profile_id = $1', [hook.profileId])
    expect(rows).toEqual([])
  })

  it('is nothing of a deal whose contact was erased since it was told either', async () => {
    const hook = await world.endpoint('generic', 'hubspot')
    const deal = {
      type: 'outcome',
      external_id: 'deal-9',
      occurred_at: '2026-10-02T10:00:00Z',
      contact: { email: 'gone@example.com', first_name: 'Ana', provider_id: 'contact-9' },
    }
    await hook.generic({ ...deal, stage: 'Quote', as_of: '2026-10-02T10:00:00Z' })
    await world.pool.query('DELETE FROM vault WHERE profile_id = $1', [hook.profileId])
    world.vault.forget()
    await hook.generic({ ...deal, outcome_type: 'closed_won', as_of: '2026-10-03T10:00:00Z' })
    const [quoted, won] = await hook.told(topics.crmOutcomes)
    const { identifiers, traits } = quoted!
    expect(identifiers).toHaveLength(2)
    expect(won).toMatchObject({ outcome_type: 'closed_won', identifiers, traits })
    expect((await hook.deliveries())[1]).toMatchObject({ status: 'mapped', sealed: null, tokens: 0 })
    const { rows } = await world.pool.query('SELECT type FROM vault WHERE profile_id = $1', [hook.profileId])
    expect(rows).toEqual([])
  })

  it('names no key of a free record in a reason', async () => {
    const hook = await world.endpoint('generic')
    const payment = { type: 'payment', external_id: 'p', occurred_at: '2026-10-02', currency: 'USD', amount: 1 }
    const long = `ana@example.com${'a'.repeat(100)}`
    for (const click_ids of [{ [long]: 'x' }, [long], long]) await hook.generic({ ...payment, click_ids })
    expect(JSON.stringify((await hook.deliveries()).map(({ reason }) => reason))).not.toContain('example.com')
  })

  it('leaves no trace of a person or a secret in the log', () => {
    for (const text of ['example.com', 'Rojas', '87654321', 'whsec_']) expect(world.log()).not.toContain(text)
  })
})
