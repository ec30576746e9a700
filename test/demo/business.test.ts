import { describe, expect, it } from 'vitest'
import { type Business, createBusiness, maxVisitors } from '../../demo/business.ts'
import type { HitDelivery, PaymentRow } from '../../demo/messages.ts'

const until = Date.parse('2026-06-30T15:00:00Z')
const seed = 7
const business = createBusiness({ seed, visitors: 2000, until })
const cents = (amount: number) => Math.round(amount * 100)
const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)
const newest = <T>(rows: readonly T[], key: (row: T) => string) => new Map(rows.map((row) => [key(row), row])).values()
const allHits = ({ hits, lateHits }: Business): HitDelivery[] => [...hits, ...lateHits]
const paymentKey = ({ provider, external_id }: PaymentRow) => `${provider}:${external_id}`

describe('the simulated business', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(createBusiness({ seed, visitors: 2000, until })).toEqual(business)
    expect(createBusiness({ seed: 8, visitors: 2000, until }).truth).not.toEqual(business.truth)
  })

  it('sends exactly the sales that the truth counts, once duplicates and refunds are taken out', () => {
    const events = [...newest(business.events, (event) => event.idempotency_key)]
    const payments = [...newest([...business.payments, ...business.refunds], paymentKey)]
    const net =
      sum(events.map(({ properties }) => cents(properties.value))) +
      sum(payments.map(({ amount, refunded_amount }) => cents(amount) - cents(refunded_amount)))

    expect(events.length + payments.length).toBe(business.truth.total.sales)
    expect(net).toBe(business.truth.total.netMinor)
  })

  it('divides all sales among campaigns and no ad', () => {
    const { byCampaign, byNoAd, total } = business.truth
    const parts = [...byCampaign.values(), byNoAd]

    expect(sum(parts.map(({ sales }) => sales))).toBe(total.sales)
    expect(sum(parts.map(({ netMinor }) => netMinor))).toBe(total.netMinor)
  })

  it('sends exactly the CRM outcomes that the truth counts', () => {
    const sent = Object.groupBy(
      newest(business.crm, ({ external_id }) => external_id),
      ({ outcome_type }) => outcome_type,
    )
    const { payment_received, ...expected } = business.truth.conversionsByType

    expect(Object.fromEntries(Object.entries(sent).map(([type, rows]) => [type, rows?.length]))).toEqual(expected)
    expect(payment_received).toBe(business.truth.total.sales)
  })

  it('restates the newest days of delivery, and the truth counts what was said last', () => {
    const rows = newest(
      [...business.delivery.first, ...business.delivery.restated],
      ({ ad_external_id, date }) => `${ad_external_id}:${date}`,
    )
    const spend = new Map<string, number>()
    for (const row of rows) spend.set(row.campaign_name, (spend.get(row.campaign_name) ?? 0) + cents(row.spend))

    expect(spend).toEqual(business.truth.spendMinorByCampaign)
    expect(sum(business.delivery.first.map((row) => cents(row.spend)))).toBeLessThan(sum(spend.values()))
  })

  it('happens within sixty days that end now', () => {
    const trueTimes = allHits(business).flatMap(({ device, events }) =>
      events.map(({ event_time }) => Date.parse(event_time) - device.clockErrorMs),
    )
    const times = [
      ...trueTimes,
      ...[...business.events, ...business.crm, ...business.payments].map(({ occurred_at }) => Date.parse(occurred_at)),
    ]

    expect([business.dateFrom, business.dateTo]).toEqual(['2026-05-02', '2026-06-30'])
    expect(Math.max(...times)).toBeLessThanOrEqual(until)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse(business.dateFrom))
  })

  it('has what makes attribution hard', () => {
    const { hits, lateHits, events, payments, refunds, crm, ads, truth } = business
    const isRepeated = (items: readonly object[]) => new Set(items).size < items.length
    const people = Map.groupBy(allHits(business), ({ events }) => events[0]!.event_id.split('-')[0])
    const devices = [...people.values()].map((own) => new Set(own.map(({ device }) => device.visitorId)).size)

    expect(ads.length).toBeGreaterThanOrEqual(100)
    expect(new Set(ads.map(({ platform }) => platform)).size).toBe(3)
    expect([hits, events, payments, crm].map(isRepeated)).toEqual([true, true, true, true])
    expect(lateHits.length).toBeGreaterThan(0)
    expect(refunds.length).toBeGreaterThan(0)
    expect(Math.max(...devices)).toBe(3)
    expect(payments.some(({ customer }) => customer.phone && !customer.email)).toBe(true)
    expect(crm.some(({ ad_external_id }) => ad_external_id)).toBe(true)
    expect(truth.byNoAd.sales).toBeGreaterThan(0)
  })

  it('names its ads by every kind of tag, and some clicks by none', () => {
    const landings = allHits(business).map(({ events }) => new URL(events[0]!.url).searchParams)

    expect(landings.some((query) => query.has('svc_ad_id'))).toBe(true)
    expect(landings.some((query) => query.has('utm_content'))).toBe(true)
    expect(landings.some((query) => query.get('utm_campaign')?.startsWith('Google'))).toBe(true)
    expect(landings.some((query) => query.size === 1 && query.has('gclid'))).toBe(true)
    expect(landings.some((query) => query.size === 0)).toBe(true)
  })

  it('grows with its visitors and stays bounded', () => {
    const requests = allHits(business)

    expect(requests.length).toBeGreaterThan(2000)
    expect(requests.length).toBeLessThan(2000 * 6)
    expect(Math.max(...requests.map(({ events }) => events.length))).toBeLessThanOrEqual(6)
    expect(() => createBusiness({ seed, visitors: maxVisitors + 1, until })).toThrow(RangeError)
  })
})
