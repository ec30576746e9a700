import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditReference, type PathTouch } from '../../../domain/credit-reference.ts'
import { models, wholeWeight } from '../../../domain/models.ts'
import { derive, recomputeProfiles } from '../../../processors/attribution/recompute.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { define, nobody, openProfile } from './world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

/** Executes what comes before it, as a process that ends there did. */
const endingAt =
  (name: string): FreshWarehouse['execute'] =>
  async (statement, params) => {
    if (statement.name === name) throw new Error('The process has ended.')
    await warehouse.execute(statement, params)
  }

const at = (text: string) => Date.parse(`2026-10-${text}Z`)

describe('touches', () => {
  it('start a session after 30 minutes of silence or when a hit comes by something new', async () => {
    const world = await openProfile(warehouse)
    const visitor = randomUUID()
    const first = await world.hit(visitor, at('01T10:00:00'), { ad: 'a' })
    await world.hit(visitor, at('01T10:29:00'))
    await world.hit(visitor, at('01T10:58:00'), { ad: 'a' })
    const other = await world.hit(visitor, at('01T11:00:00'), { ad: 'b' })
    await world.hit(visitor, at('01T11:29:59'))
    const later = await world.hit(visitor, at('01T12:00:00'))
    const again = await world.hit(visitor, at('01T12:05:00'), { ad: 'b' })
    await world.recompute()
    expect((await world.touches()).map((touch) => touch.touch_id)).toEqual([first, other, later, again])
  })

  it('move when an earlier hit of the session arrives late, and leave nothing behind', async () => {
    const world = await openProfile(warehouse)
    const visitor = randomUUID()
    await world.hit(visitor, at('01T10:10:00'), { ad: 'a' })
    await world.recompute()
    const earlier = await world.hit(visitor, at('01T10:00:00'), { ad: 'a' })
    await world.recompute()
    expect((await world.touches()).map((touch) => touch.touch_id)).toEqual([earlier])
  })
})

describe('credit', () => {
  it('credits a conversion without touches to nobody', async () => {
    const world = await openProfile(warehouse)
    await world.outcome(randomUUID(), at('10T00:00:00'))
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ touch_ids: [], last_touch: [], linear: [], net_minor: 10_000 }])
  })

  it('counts touches at the conversion and at the edge of the window, and none after or before', async () => {
    const world = await openProfile(warehouse)
    const visitor = randomUUID()
    const conversion = Date.parse('2026-10-31T12:00:00Z')
    await world.hit(visitor, conversion - 30 * 86_400_000 - 1, { ad: 'too old' })
    const edge = await world.hit(visitor, conversion - 30 * 86_400_000, { ad: 'edge' })
    const now = await world.hit(visitor, conversion, { ad: 'now' })
    await world.hit(visitor, conversion + 1, { ad: 'too late' })
    await world.outcome(visitor, conversion)
    await world.recompute()
    const [credit] = await world.credits()
    expect(credit!.touch_ids).toEqual([edge, now])
  })

  it('follows a definition: its window, its eligibility, its end', async () => {
    const world = await openProfile(warehouse)
    const visitor = randomUUID()
    await world.hit(visitor, at('01T00:00:00'), { ad: 'a' })
    await world.outcome(visitor, at('10T00:00:00'), { type: 'lead_created' })
    await world.recompute()
    expect((await world.credits())[0]!.touch_ids).toHaveLength(1)
    await define(warehouse, world.profile, 'lead_created', 'pipeline', { days: 7, version: 2 })
    await recomputeProfiles(warehouse, [{ profile_id: world.profile, version: 1n << 100n }])
    expect((await world.credits())[0]!.touch_ids).toHaveLength(0)
    await define(warehouse, world.profile, 'lead_created', 'pipeline', { version: 3, isDeleted: true })
    await recomputeProfiles(warehouse, [{ profile_id: world.profile, version: (1n << 100n) + 1n }])
    expect(await world.credits()).toEqual([])
    expect(await warehouse.rows(`SELECT 1 FROM report_credits FINAL WHERE profile_id = '${world.profile}'`)).toEqual([])
  })

  it('comes out of many slices as out of one, and each slice leaves the others alone', async () => {
    const world = await openProfile(warehouse)
    await world.ad('111')
    const shoppers = Array.from({ length: 12 }, () => ({ visitor: randomUUID(), mail: randomUUID() }))
    for (const [n, { visitor, mail }] of shoppers.entries()) {
      const customer = randomUUID()
      for (const subject of [visitor, mail]) await world.belongs(subject, customer)
      await world.hit(visitor, at('01T00:00:00'), { ad: '111' })
      if (n % 2 === 0) await world.hit(visitor, at('02T00:00:00'))
      await world.outcome(mail, at('03T00:00:00'), { type: 'lead_created', ad: '111', source: 'crm' })
      await world.outcome(mail, at('04T00:00:00'), { amount: 100 * n + 1 })
    }
    const subjects = shoppers.flatMap(({ visitor, mail }) => [visitor, mail])
    const deriveIn = async (slices: number, version: string) => {
      const run = randomUUID()
      await warehouse.insert(
        'recompute_dirty',
        subjects.map((subject_id) => ({ run_id: run, profile_id: world.profile, subject_id, version })),
      )
      let steps = 0
      await derive(warehouse, run, { slices, onStep: () => steps++ })
      expect(steps).toBe(2 * slices)
      const ofProfile = `FINAL WHERE profile_id = '${world.profile}'`
      return {
        credits: await warehouse.rows(`SELECT * FROM credits ${ofProfile} ORDER BY conversion_id`),
        reports: await warehouse.rows(`SELECT * FROM report_credits ${ofProfile} ORDER BY conversion_id`),
        touches: await warehouse.rows(`SELECT * FROM touches ${ofProfile} ORDER BY touch_id`),
      }
    }
    const inSlices = await deriveIn(5, '7')
    expect(inSlices.credits).toHaveLength(24)
    expect(inSlices.touches).toHaveLength(12 + 6 + 12)
    // Equal content is not written again: had anything come out otherwise, it would carry the later version.
    expect(await deriveIn(1, '8')).toEqual(inSlices)
  })

  it('joins a touch to its ad by the strongest reference it carries', async () => {
    const world = await openProfile(warehouse)
    const one = await world.ad('111')
    const two = await world.ad('222', { campaign_external_id: 'c2', campaign_name: 'Autumn', ad_set_external_id: 's2' })
    const visitor = randomUUID()
    await world.hit(visitor, at('01T00:00:00'), { ad: '111', utm: { content: '222' } })
    await world.hit(visitor, at('02T00:00:00'), { ad: 'unknown', utm: { content: '222' } })
    await world.hit(visitor, at('03T00:00:00'), { utm: { id: 'c2' } })
    await world.hit(visitor, at('04T00:00:00'), { utm: { campaign: 'Autumn' } })
    await world.hit(visitor, at('05T00:00:00'), { utm: { campaign: 'nothing of ours' } })
    await world.outcome(visitor, at('06T00:00:00'))
    await world.recompute()
    const [credit] = await world.credits()
    expect(credit!.join_methods).toEqual(['service_ad_id', 'utm_ad_id', 'utm_campaign_id', 'campaign_name', ''])
    expect(credit!.ad_ids).toEqual([one.ad, two.ad, nobody, nobody, nobody])
    expect(credit!.campaign_ids).toEqual([one.campaign, two.campaign, two.campaign, two.campaign, nobody])
  })

  it('counts earlier anonymous visits, on every device, once a visitor is known', async () => {
    const world = await openProfile(warehouse)
    const [phone, laptop, mail, customer] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const first = await world.hit(phone, at('01T00:00:00'), { ad: 'a' })
    const second = await world.hit(laptop, at('02T00:00:00'))
    await world.outcome(mail, at('03T00:00:00'))
    await world.recompute()
    expect((await world.credits())[0]!.touch_ids).toEqual([])
    for (const subject of [phone, laptop, mail]) await world.belongs(subject, customer)
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ touch_ids: [first, second], customer_id: customer }])
  })

  it('takes a refund off the value and keeps the count', async () => {
    const world = await openProfile(warehouse)
    const buyer = randomUUID()
    const id = await world.outcome(buyer, at('03T00:00:00'), { amount: 10_000 })
    await world.recompute()
    await world.outcome(buyer, at('03T00:00:00'), { id, amount: 10_000, refunded: 2_500 })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ net_minor: 7_500 }])
  })

  it('counts on the day of the profile’s time zone, and moves when the day changes', async () => {
    const world = await openProfile(warehouse, { timezone: 'America/Santiago' })
    const buyer = randomUUID()
    const id = await world.outcome(buyer, at('02T01:00:00'))
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ day: '2026-10-01' }])
    await world.outcome(buyer, at('05T12:00:00'), { id })
    await world.recompute()
    const rows = await warehouse.rows(`SELECT day FROM report_credits FINAL WHERE profile_id = '${world.profile}'`)
    expect(rows).toEqual([{ day: '2026-10-05' }])
  })

  it('follows an outcome that is re-sent with another identity', async () => {
    const world = await openProfile(warehouse)
    const [ann, bob] = [randomUUID(), randomUUID()]
    const touch = await world.hit(bob, at('01T00:00:00'), { ad: 'a' })
    const id = await world.outcome(ann, at('03T00:00:00'))
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ customer_id: ann, touch_ids: [] }])
    await world.outcome(bob, at('03T00:00:00'), { id })
    await world.recompute()
    expect(await world.credits()).toMatchObject([{ customer_id: bob, touch_ids: [touch] }])
  })

  it.each([
    'remember_report_days',
    'publish_report_credits',
    'remember_customer_conversions',
    'publish_goal_conversions',
    'publish_credits',
  ])('is as if nothing had been when a run ends at %s and what it derived is taken back', async (end) => {
    const world = await openProfile(warehouse)
    const visitor = randomUUID()
    await world.ad('111')
    await world.hit(visitor, at('01T00:00:00'), { ad: '111' })
    const moved = await world.outcome(visitor, at('03T00:00:00'))
    const uncounted = await world.outcome(visitor, at('05T00:00:00'), { type: 'uncounted' })
    await world.recompute()
    const shown = async () => {
      const ofProfile = `FINAL WHERE profile_id = '${world.profile}' ORDER BY ALL`
      return {
        credits: await warehouse.rows(`SELECT * EXCEPT version FROM credits ${ofProfile}`),
        reports: await warehouse.rows(`SELECT * EXCEPT version FROM report_credits ${ofProfile}`),
        lists: await warehouse.rows(`SELECT * EXCEPT version FROM goal_conversions ${ofProfile}`),
      }
    }
    const before = await shown()
    expect(before.lists).toHaveLength(1)

    await world.outcome(visitor, at('04T00:00:00'), { id: moved, type: 'lead_created', amount: 5 })
    await world.outcome(visitor, at('05T00:00:00'), { id: uncounted })
    await expect(world.recompute({ ...warehouse, execute: endingAt(end) })).rejects.toThrow('The process has ended.')
    await world.outcome(visitor, at('03T00:00:00'), { id: moved })
    await world.outcome(visitor, at('05T00:00:00'), { id: uncounted, type: 'uncounted' })
    await world.recompute()
    expect(await shown()).toEqual(before)
  })

  it('writes nothing when nothing changed', async () => {
    const world = await openProfile(warehouse)
    const visitor = randomUUID()
    await world.hit(visitor, at('01T00:00:00'), { ad: 'a' })
    await world.outcome(visitor, at('03T00:00:00'))
    await world.recompute()
    const count = () =>
      warehouse.rows(
        `SELECT (SELECT count() FROM credits WHERE profile_id = '${world.profile}') AS credits,
          (SELECT count() FROM touches WHERE profile_id = '${world.profile}') AS touches`,
      )
    const before = await count()
    await recomputeProfiles(warehouse, [{ profile_id: world.profile, version: 1n << 100n }])
    expect(await count()).toEqual(before)
  })

  it('agrees with the reference under all six models, and every path sums to exactly one', async () => {
    const touch = fc.record({ hoursBefore: fc.integer({ min: -5, max: 31 * 24 }), isDirect: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(touch, { maxLength: 12 }), { minLength: 20, maxLength: 20 }),
        async (paths) => {
          const world = await openProfile(warehouse)
          const conversion = Date.parse('2026-10-31T12:00:00Z')
          const expected = new Map<string, PathTouch[]>()
          for (const path of paths) {
            const visitor = randomUUID()
            const touches: PathTouch[] = []
            // Hours apart, so that every hit opens a session of its own.
            for (const hoursBefore of new Set(path.map((one) => one.hoursBefore))) {
              const { isDirect } = path.find((one) => one.hoursBefore === hoursBefore)!
              const timeMs = conversion - hoursBefore * 3_600_000
              const id = await world.hit(visitor, timeMs, isDirect ? {} : { ad: 'x' })
              touches.push({ timeMs, id, isDirect })
            }
            expected.set(await world.outcome(visitor, conversion), touches)
          }
          await world.recompute()
          for (const credit of await world.credits()) {
            for (const model of models) {
              const { path, weights } = creditReference(expected.get(credit.outcome_id)!, conversion, 30, model)
              expect(credit.touch_ids).toEqual(path.map(({ id }) => id))
              expect(credit[model], model).toEqual(weights)
              if (weights.length > 0) expect(credit[model].reduce((sum, weight) => sum + weight, 0)).toBe(wholeWeight)
            }
          }
        },
      ),
      { numRuns: 3 },
    )
  })
})
