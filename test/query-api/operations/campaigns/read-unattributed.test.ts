import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { levels, models } from '../../../../domain/models.ts'
import { openReadingApp } from '../reading-app.ts'
import { at, october, openBusiness } from './business.ts'

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

interface Figures {
  outcome_count: number
  outcome_count_first_payment: number
  outcome_value: number
  attributed_outcome_count: number
  attributed_outcomes_by_type: Record<string, number>
}

const isSingleCredit = (model: string) => ['last_touch', 'first_touch', 'last_non_direct'].includes(model)
const cents = (rows: Figures[]) => rows.reduce((sum, row) => sum + Math.round(row.outcome_value * 100), 0)

/** Counts of all rows, added up by kind. */
function counted(rows: Figures[]): Record<string, number> {
  const sums: Record<string, number> = {}
  const add = (key: string, count: number) => {
    if (count > 0) sums[key] = (sums[key] ?? 0) + count
  }
  for (const row of rows) {
    add('cash', row.outcome_count)
    add('first', row.outcome_count_first_payment)
    add('all', row.attributed_outcome_count)
    for (const [type, count] of Object.entries(row.attributed_outcomes_by_type)) add(type, count)
  }
  return sums
}

describe('GET /campaigns/unattributed', () => {
  it('is what no entity earned', async () => {
    const { id, read } = await openBusiness(api)
    const { body } = await read(`/campaigns/unattributed?${october}`)
    expect(body.meta).toEqual({ profile_id: id, date_from: '2026-10-01', date_to: '2026-10-31' })
    expect(body.data).toEqual({
      outcome_count: 1,
      outcome_count_first_payment: 1,
      outcome_value: 7,
      attributed_outcome_count: 1,
      attributed_outcomes_by_type: { payment_received: 1 },
    })
    const other = await api.profile()
    expect((await other.read(`/campaigns/unattributed?${october}`)).body.data).toEqual({
      outcome_count: 0,
      outcome_count_first_payment: 0,
      outcome_value: 0,
      attributed_outcome_count: 0,
      attributed_outcomes_by_type: {},
    })
  })

  it('grows with the level when a click names a campaign only', async () => {
    const { world, read } = await api.profile()
    await world.ad('111')
    const buyer = randomUUID()
    await world.hit(buyer, at('01T00:00:00'), { utm: { campaign: 'Campaign 1' } })
    await world.outcome(buyer, at('02T00:00:00'))
    await world.recompute()
    const rest = async (level: string) =>
      (await read(`/campaigns/unattributed?${october}&level=${level}`)).body.data.outcome_count
    expect([await rest('campaign'), await rest('ad_set'), await rest('ad')]).toEqual([0, 1, 1])
  })

  it.each([
    ['date_from=2026-10-01', 'invalid_date_range'],
    [`${october}&level=creative`, 'invalid_parameter'],
    [`${october}&model=magic`, 'invalid_parameter'],
  ])('refuses %j with %s', async (query, code) => {
    const { read } = await api.profile()
    expect(await read(`/campaigns/unattributed?${query}`)).toMatchObject({ status: 400, body: { error: { code } } })
  })

  it('and the rows add up to the profile’s total under single-credit models, for any history and level', async () => {
    const day = fc.integer({ min: 1, max: 31 })
    const event = fc.record({
      type: fc.constantFrom('payment_received', 'lead_created'),
      day,
      amount: fc.integer({ min: 0, max: 1_000_000_000 }),
      refunded: fc.integer({ min: 0, max: 1_000_000 }),
    })
    const click = fc.record({
      day,
      by: fc.constantFrom('111', '112', '222', 'unknown', 'campaign', 'newsletter', null),
    })
    const person = fc.record({
      clicks: fc.array(click, { maxLength: 5 }),
      events: fc.array(event, { minLength: 1, maxLength: 3 }),
    })
    const time = (of: number, hour: number) => at(`${String(of).padStart(2, '0')}T0${hour}:00:00`)
    await fc.assert(
      fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 4 }), async (people) => {
        const { world, read } = await api.profile()
        await world.ad('111')
        await world.ad('112', { ad_set_external_id: 's11', ad_set_name: 'Set 11' })
        await world.ad('222', { campaign_external_id: 'c2', campaign_name: 'Autumn', ad_set_external_id: 's2' })
        for (const { clicks, events } of people) {
          const subject = randomUUID()
          for (const { day, by } of clicks) {
            const utm = { campaign: 'Campaign 1' }
            const how = by === 'campaign' ? { utm } : by === 'newsletter' ? { signature: by } : by ? { ad: by } : {}
            await world.hit(subject, time(day, 1), how)
          }
          for (const { day, ...parts } of events) await world.outcome(subject, time(day, 2), parts)
        }
        await world.recompute()
        const all = people.flatMap(({ events }) => events)
        const paid = all.filter(({ type }) => type === 'payment_received')
        const total = paid.reduce((sum, { amount, refunded }) => sum + amount - Math.min(amount, refunded), 0)
        const firsts = people.filter(({ events }) => events.some(({ type }) => type === 'payment_received')).length
        const expected = counted([
          {
            outcome_count: paid.length,
            outcome_count_first_payment: firsts,
            outcome_value: 0,
            attributed_outcome_count: all.length,
            attributed_outcomes_by_type: { payment_received: paid.length, lead_created: all.length - paid.length },
          },
        ])
        for (const level of levels) {
          for (const model of models) {
            const [rows, rest] = await Promise.all(
              ['', '/unattributed'].map((path) => read(`/campaigns${path}?${october}&model=${model}&level=${level}`)),
            )
            const figures: Figures[] = [...rows!.body.data, rest!.body.data]
            if (isSingleCredit(model)) {
              expect(cents(figures), `${model} ${level}`).toBe(total)
              expect(counted(figures), `${model} ${level}`).toEqual(expected)
            } else {
              // Each figure is rounded once, to a cent.
              expect(Math.abs(cents(figures) - total)).toBeLessThanOrEqual(figures.length / 2)
            }
          }
        }
      }),
      { numRuns: 4 },
    )
  })
})
