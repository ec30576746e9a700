import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstPayments, type PaymentInOrder } from '../../../domain/first-payments.ts'
import { minorRate } from '../../../domain/fx.ts'
import { recomputeProfiles } from '../../../processors/attribution/recompute.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { openProfile } from './world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)
const hour = 3_600_000

describe('first payments', () => {
  it('agree with the rules for any history of a customer', async () => {
    const payment = fc.record({
      hours: fc.integer({ min: 0, max: 20 * 24 }),
      ref: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null }),
      isInstallment: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(payment, { maxLength: 7 }), { minLength: 12, maxLength: 12 }),
        async (histories) => {
          const world = await openProfile(warehouse)
          const expected = new Map<string, { isFirst: boolean; opens: boolean }>()
          for (const history of histories) {
            const [buyer, refs] = [randomUUID(), { a: randomUUID(), b: randomUUID(), c: randomUUID() }]
            const payments: PaymentInOrder[] = []
            for (const { hours, ref, isInstallment } of history) {
              const timeMs = at('01T00:00:00') + hours * hour
              const subjectRef = ref && refs[ref as 'a']
              const id = await world.outcome(buyer, timeMs, { subjectRef })
              if (isInstallment) await world.act(id, 'installment')
              payments.push({ id, timeMs, subjectRef, isInstallment })
            }
            for (const { id, ...flag } of firstPayments(payments)) expected.set(id, flag)
          }
          await world.recompute()
          const credits = await world.credits()
          expect(credits).toHaveLength(expected.size)
          for (const credit of credits) {
            const { isFirst, opens } = expected.get(credit.outcome_id)!
            expect({ isFirst: credit.is_first_payment, opens: credit.opens_first_payment }).toEqual({ isFirst, opens })
          }
        },
      ),
      { numRuns: 4 },
    )
  })

  it('are not used up by what carries no money', async () => {
    const world = await openProfile(warehouse)
    const buyer = randomUUID()
    const [none, zero] = [
      await world.outcome(buyer, at('01T00:00:00'), { amount: null }),
      await world.outcome(buyer, at('02T00:00:00'), { amount: 0 }),
    ]
    const paid = await world.outcome(buyer, at('20T00:00:00'), { amount: 7_701 })
    await world.recompute()
    const flags = new Map((await world.credits()).map((credit) => [credit.outcome_id, credit.is_first_payment]))
    expect([none, zero, paid].map((id) => flags.get(id))).toEqual([null, null, true])
  })

  it('are none of a conversion that is no payment', async () => {
    const world = await openProfile(warehouse)
    await world.outcome(randomUUID(), at('03T00:00:00'), { type: 'lead_created' })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ is_first_payment: null, opens_first_payment: false }])
  })

  it('change when an earlier payment arrives, and when two customers become one', async () => {
    const world = await openProfile(warehouse)
    const [mail, phone, customer] = [randomUUID(), randomUUID(), randomUUID()]
    await world.outcome(mail, at('20T00:00:00'))
    await world.outcome(phone, at('01T00:00:00'))
    await world.recompute()
    expect((await world.credits()).map((credit) => credit.is_first_payment)).toEqual([true, true])
    await world.belongs(mail, customer)
    await world.belongs(phone, customer)
    await world.recompute()
    expect((await world.credits()).map((credit) => credit.is_first_payment)).toEqual([true, false])
  })
})

describe('merchant actions', () => {
  it('leave a payment outside the site to the ad that it names, whoever is its payer', async () => {
    const world = await openProfile(warehouse)
    const [sender, payer, other] = [randomUUID(), randomUUID(), randomUUID()]
    const { ad } = await world.ad('named')
    const payment = await world.outcome(sender, at('05T00:00:00'), { ad: 'named', actionSource: 'phone_call' })
    await world.recompute()
    const mine = (customer_id: string) => ({ customer_id, synthetics: [true], ad_ids: [ad] })
    expect(await world.credits()).toMatchObject([mine(sender)])
    await world.act(payment, 'payer', { payer })
    world.touched(sender)
    await world.recompute()
    expect(await world.credits()).toMatchObject([mine(payer)])
    await world.act(payment, 'payer', { payer: other })
    world.touched(sender)
    world.touched(payer)
    await world.recompute()
    expect(await world.credits()).toMatchObject([mine(other)])
    expect(await world.touches()).toHaveLength(1)
    await world.act(payment, 'payer')
    for (const subject of [sender, payer, other]) world.touched(subject)
    await world.recompute()
    expect(await world.credits()).toMatchObject([mine(sender)])
    expect(await world.touches()).toHaveLength(1)
  })

  it('give a payment to its assigned payer, and take it from whom the sender named', async () => {
    const world = await openProfile(warehouse)
    const [sender, payer] = [randomUUID(), randomUUID()]
    const touch = await world.hit(payer, at('01T00:00:00'), { ad: 'x' })
    const first = await world.outcome(sender, at('02T00:00:00'))
    await world.outcome(sender, at('20T00:00:00'))
    await world.recompute()
    await world.act(first, 'payer', { payer })
    await world.recompute()
    const [moved, stayed] = await world.credits()
    expect(moved).toMatchObject({ customer_id: payer, touch_ids: [touch], is_first_payment: true })
    // Without the first one, the sender's second payment is its first.
    expect(stayed).toMatchObject({ customer_id: sender, is_first_payment: true })
  })

  it('take a manual refund off on top of the provider’s, never below nothing', async () => {
    const world = await openProfile(warehouse)
    const buyer = randomUUID()
    const id = await world.outcome(buyer, at('02T00:00:00'), { amount: 10_000, refunded: 3_000 })
    await world.act(id, 'refund', { refunded: 2_000 })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ net_minor: 5_000 }])
    await world.outcome(buyer, at('02T00:00:00'), { id, amount: 10_000, refunded: 9_000 })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ net_minor: 0 }])
  })

  it('take off no manual refund in another currency', async () => {
    const world = await openProfile(warehouse)
    const id = await world.outcome(randomUUID(), at('02T00:00:00'), { amount: 10_000 })
    await world.act(id, 'refund', { refunded: 2_000, currency: 'CLP' })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ net_minor: 10_000 }])
    await world.act(id, 'refund', { refunded: 2_000, currency: 'USD' })
    await recomputeProfiles(warehouse, [{ profile_id: world.profile, version: 1n << 100n }])
    expect(await world.credits()).toMatchObject([{ net_minor: 8_000 }])
  })
})

describe('other currencies', () => {
  const rate = async (base: string, quote: string, date: string, text: string) => {
    const checked = minorRate(text, base, quote)
    if (!checked.ok) throw new Error(checked.reason)
    await warehouse.insert('fx_rates', [{ base, quote, date, minor_rate: checked.value.toString(), version: '1' }])
  }

  it('take the rate of the day, or the newest of seven days before, and stay out of sums without one', async () => {
    await rate('CLP', 'EUR', '2026-10-01', '0.001')
    await rate('CLP', 'EUR', '2026-10-05', '0.0012')
    const world = await openProfile(warehouse, { currency: 'EUR' })
    const buyer = randomUUID()
    for (const [day, expected] of [
      ['30T12:00:00', null],
      ['01T12:00:00', 95_000],
      ['04T12:00:00', 95_000],
      ['05T12:00:00', 114_000],
      ['12T12:00:00', 114_000],
      ['13T12:00:00', null],
    ] as const) {
      const id = await world.outcome(buyer, at(day), { amount: 950_000, currency: 'CLP' })
      await world.recompute()
      const credit = (await world.credits()).find((one) => one.outcome_id === id)!
      expect(credit.net_minor, day).toBe(expected)
    }
  })

  it('convert what is left after a refund, at the payment’s rate', async () => {
    const world = await openProfile(warehouse, { currency: 'EUR' })
    await world.outcome(randomUUID(), at('05T12:00:00'), { amount: 950_000, refunded: 450_000, currency: 'CLP' })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ net_minor: 60_000, amount_minor: 950_000 }])
  })
})

describe('synthetic touches', () => {
  it('credit an off-site lead to the ad it names', async () => {
    const world = await openProfile(warehouse)
    const { ad } = await world.ad('111')
    const lead = await world.outcome(randomUUID(), at('02T00:00:00'), {
      type: 'lead_created',
      source: 'crm',
      ad: '111',
    })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ touch_ids: [lead], ad_ids: [ad], synthetics: [true] }])
  })

  it.each([
    ['10 minutes before', 10, false],
    ['30 minutes before', 30, false],
    ['31 minutes before', 31, true],
  ])('are not made when a visit by that ad stands %s, on any device', async (_when, minutes, isMade) => {
    const world = await openProfile(warehouse)
    await world.ad('111')
    const [visitor, mail, customer] = [randomUUID(), randomUUID(), randomUUID()]
    await world.belongs(visitor, customer)
    await world.belongs(mail, customer)
    await world.hit(visitor, at('02T12:00:00') - minutes * 60_000, { ad: '111' })
    await world.outcome(mail, at('02T12:00:00'), { type: 'lead_created', source: 'crm', ad: '111' })
    await world.recompute()
    expect((await world.touches()).filter((touch) => touch.is_synthetic)).toHaveLength(isMade ? 1 : 0)
  })

  it('go when the visit arrives late, and come back for another ad', async () => {
    const world = await openProfile(warehouse)
    await world.ad('111')
    const person = randomUUID()
    const id = await world.outcome(person, at('02T12:00:00'), { type: 'lead_created', source: 'crm', ad: '111' })
    await world.recompute()
    const visit = await world.hit(person, at('02T11:50:00'), { ad: '111' })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ touch_ids: [visit] }])
    await world.outcome(person, at('02T12:00:00'), { id, type: 'lead_created', source: 'crm', ad: '222' })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ touch_ids: [visit, id], synthetics: [false, true] }])
  })

  it('are not made for what happened on the site or in a browser', async () => {
    const world = await openProfile(warehouse)
    await world.outcome(randomUUID(), at('02T12:00:00'), { source: 'tracker', ad: '111' })
    await world.outcome(randomUUID(), at('02T12:00:00'), { actionSource: 'website', ad: '111' })
    await world.recompute()
    expect(await world.touches()).toEqual([])
  })
})
