import { afterAll, beforeAll, expect, it } from 'vitest'
import { replayDeliveries } from '../../../ingest/hooks/replay-deliveries.ts'
import { openHookWorld } from './hook-world.ts'
import { shopifyOrder, stripeCharge, stripeEvent } from './payloads.ts'

let world: Awaited<ReturnType<typeof openHookWorld>>
beforeAll(async () => {
  world = await openHookWorld()
})
afterAll(() => world.close())

const replay = (profileId: string, isDryRun = false) =>
  replayDeliveries({ postgres: world.pool, vault: world.vault, hookSeals: world.seals }, { profileId, isDryRun })

const none = { mapped: 0, superseded: 0, ignored: 0, unmappable: 0, gone: 0 }

/** As an older version of the service would have left it. */
const misread = (profileId: string) =>
  world.pool.query(
    "UPDATE hook_deliveries SET status = 'unmappable', reason = 'unknown_topic', messages = 0 WHERE profile_id = $1",
    [profileId],
  )

it('maps again what is understood now, once, and keeps what is still not', async () => {
  const hook = await world.endpoint('stripe')
  const paid = stripeEvent('charge.succeeded', stripeCharge())
  await hook.stripe(paid)
  await hook.stripe(stripeEvent('payment_intent.succeeded', { id: 'pi_1' }))
  await hook.stripe(stripeEvent('radar.early_fraud_warning.created', { id: 'issfr_1' }))
  // Nothing was told of it then.
  await world.pool.query('DELETE FROM hook_states WHERE profile_id = $1', [hook.profileId])
  await misread(hook.profileId)
  const before = (await hook.payments()).length
  expect(await replay(hook.profileId, true)).toEqual({ ...none, mapped: 1, ignored: 1, unmappable: 1 })
  expect((await hook.deliveries()).map(({ status }) => status)).toEqual(Array(3).fill('unmappable'))
  expect(await replay(hook.profileId)).toEqual({ ...none, mapped: 1, ignored: 1, unmappable: 1 })
  expect(await hook.deliveries()).toMatchObject([
    { status: 'mapped', messages: 1, tokens: 3 },
    { status: 'ignored', reason: 'told_by_its_charge' },
    { status: 'unmappable', reason: 'unknown_topic' },
  ])
  expect(await replay(hook.profileId)).toEqual({ ...none, unmappable: 1 })
  expect(await hook.payments()).toHaveLength(before + 1)
  expect((await hook.stripe(paid)).body.data.status).toBe('duplicate')
})

it('knows a Shopify notification’s topic, and says nothing of a payment that was told newer', async () => {
  const hook = await world.endpoint('shopify')
  await hook.shopify('orders/paid', shopifyOrder())
  await misread(hook.profileId)
  await hook.shopify('orders/updated', shopifyOrder({ updated_at: '2026-10-03T07:00:02-03:00' }))
  expect(await replay(hook.profileId)).toEqual({ ...none, superseded: 1 })
  expect((await hook.deliveries()).map(({ topic, status }) => [topic, status])).toEqual([
    ['orders/paid', 'superseded'],
    ['orders/updated', 'mapped'],
  ])
})

it('orders what says no time of its own by when it came, and leaves other profiles alone', async () => {
  const [hook, other] = [await world.endpoint('generic'), await world.endpoint('generic')]
  const payment = { type: 'payment', external_id: 'p', occurred_at: '2026-10-02', currency: 'USD', amount: 1 }
  for (const one of [hook, other]) await one.generic({ ...payment, currency: 'ZZZ' })
  await hook.generic(payment)
  await misread(hook.profileId)
  await world.pool.query('DELETE FROM hook_states WHERE profile_id = $1', [hook.profileId])
  expect(await replay(hook.profileId)).toEqual({ ...none, mapped: 1, unmappable: 1 })
  expect(await replay(other.profileId, true)).toEqual({ ...none, unmappable: 1 })
})
