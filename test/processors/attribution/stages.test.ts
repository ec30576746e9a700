import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readsOf } from '../../../clickhouse/queries/journey-events.ts'
import { unlistedEventTypes } from '../../../clickhouse/queries/unlisted-event-types.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { define, openProfile } from './world.ts'

let warehouse: FreshWarehouse
beforeAll(async () => {
  warehouse = await freshWarehouse()
})
afterAll(() => warehouse.drop())

const at = (text: string) => Date.parse(`2026-10-${text}Z`)
const crm = { source: 'crm', provider: 'hubspot' } as const

async function business() {
  const world = await openProfile(warehouse)
  await define(warehouse, world.profile, 'appointment_booked', 'pipeline')
  await define(warehouse, world.profile, 'closed_lost', 'pipeline')
  const types = async () => (await world.credits()).map((credit) => credit.conversion_type)
  const seen = async (customer: string) => {
    const { profile } = world
    const page = { until: at('31T00:00:00'), skip: 0, limit: 10 }
    const { reads, whose } = readsOf({ profile, customer, subjects: [customer] })
    const events = await warehouse.run(reads.outcomes, { ...whose, ...page })
    return events.map(({ event_type }) => event_type)
  }
  return { ...world, types, seen }
}

describe('a deal in a stage of a pipeline', () => {
  it('counts as what its stage is mapped to, whatever it calls itself', async () => {
    const { outcome, stage, recompute, types, seen } = await business()
    const customer = randomUUID()
    await stage('7', 'appointment_booked')
    await outcome(customer, at('01T00:00:00'), { ...crm, type: 'opportunity', stage: '7' })
    await outcome(customer, at('02T00:00:00'), { ...crm, type: 'lead_created', stage: '7' })
    await recompute()
    expect(await types()).toEqual(['appointment_booked', 'appointment_booked'])
    expect(await seen(customer)).toEqual(['appointment_booked', 'appointment_booked'])
  })

  it.each(['unmapped', 'ignored', null])('records no outcome while that is %j', async (eventKey) => {
    const { profile, outcome, ad, stage, recompute, types, seen, touches } = await business()
    const customer = randomUUID()
    await ad('111')
    if (eventKey) await stage('7', eventKey)
    await outcome(customer, at('01T00:00:00'), { ...crm, type: 'opportunity', stage: '7', ad: '111' })
    await recompute()
    expect(await types()).toEqual([])
    expect(await seen(customer)).toEqual([])
    expect(await touches()).toEqual([])
    const unlisted = await warehouse.run(unlistedEventTypes, { profile, since: '2026-01-01T00:00:00Z', limit: 10 })
    expect(unlisted).toEqual([])
  })

  it('counts anew when the mapping changes, and no longer when it is taken back', async () => {
    const { outcome, ad, stage, recompute, types, touched, touches } = await business()
    const customer = randomUUID()
    await ad('111')
    await stage('7', 'unmapped')
    await outcome(customer, at('01T00:00:00'), { ...crm, type: 'opportunity', stage: '7', ad: '111' })
    await recompute()
    const mapped = async (eventKey: string) => {
      await stage('7', eventKey)
      touched(customer)
      await recompute()
      return [await types(), (await touches()).length]
    }
    expect(await mapped('appointment_booked')).toEqual([['appointment_booked'], 1])
    expect(await mapped('lead_created')).toEqual([['lead_created'], 1])
    expect(await mapped('ignored')).toEqual([[], 0])
  })

  it('is recorded whatever the stage once it is closed', async () => {
    const { outcome, stage, recompute, types } = await business()
    await stage('7', 'ignored')
    await outcome(randomUUID(), at('01T00:00:00'), { ...crm, type: 'closed_lost', stage: '7' })
    await outcome(randomUUID(), at('02T00:00:00'), { ...crm, type: 'closed_lost', stage: 'unknown' })
    await recompute()
    expect(await types()).toEqual(['closed_lost', 'closed_lost'])
  })

  it('follows the stage of its own CRM', async () => {
    const { outcome, stage, recompute, types } = await business()
    await stage('7', 'appointment_booked', 'pipedrive')
    await outcome(randomUUID(), at('01T00:00:00'), { ...crm, type: 'opportunity', stage: '7' })
    await recompute()
    expect(await types()).toEqual([])
  })
})
