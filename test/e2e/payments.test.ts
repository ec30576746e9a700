import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generationDatabase } from '../../clickhouse/generations.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { liveGeneration } from '../../postgres/stores/warehouse.ts'
import { type OwnStack, ownStack } from './own-stack.ts'

let stack: OwnStack
let key: string
beforeAll(async () => {
  stack = await ownStack()
  const { profile_id } = await stack.touchline<{ profile_id: string }>('profiles', 'create', '--name', 'desk', '--json')
  const scopes = 'commerce:read,attribution:write,customers:read'
  const made = await stack.touchline<{ key: string }>(
    ...['keys', 'create', '--profile', profile_id, '--scopes', scopes, '--rate-limit', '100000', '--json'],
  )
  key = made.key
}, 180_000)
afterAll(() => stack?.remove(), 60_000)

// biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of many shapes
type Answer = any

async function call(method: string, path: string, body?: object) {
  const answer = await fetch(`${stack.endpoints.base_url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer }
}
const drain = () => stack.touchline('drain', '--timeout', '120', '--json')
const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString()

async function credits() {
  const postgres = connectPostgres(stack.endpoints.database_url)
  const database = generationDatabase(await liveGeneration(postgres))
  await postgres.end()
  const client = createClient({ url: stack.endpoints.clickhouse_url, database })
  const query = 'SELECT outcome_id, customer_id, net_minor, is_first_payment FROM credits FINAL ORDER BY outcome_id'
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json()
  await client.close()
  return rows
}

it('payments and what merchants decided about them end alike live and after a replay', {
  timeout: 300_000,
}, async () => {
  const user_traits = { external_id: 'C-1', email: 'ana@example.com', first_name: 'Ana' }
  const sale = (idempotency_key: string, daysAgo: number) => ({
    event_type: 'payment_received',
    idempotency_key,
    occurred_at: at(daysAgo),
    properties: { value: 100, currency: 'USD' },
    user_traits,
  })
  const batch = await call('POST', '/events/batch', {
    events: [sale('s-1', 3), sale('s-2', 20), { event_type: 'survey' }],
  })
  expect(batch.body.data).toMatchObject({ accepted: 3, rejected: 0 })
  const [recent, earlier] = batch.body.data.results.map((row: { outcome_event_id: string }) => row.outcome_event_id)
  const card = await call('POST', '/payments/cardpay', {
    payment_ref: 'tx-9',
    amount: '80.10',
    currency: 'USD',
    occurred_at: at(40),
  })
  expect(card.status).toBe(202)
  const unknown = card.body.data.payment_id
  await drain()

  const range = `from=${at(50).slice(0, 10)}&to=${new Date().toISOString().slice(0, 10)}`
  const list = async (status = 'all') => (await call('GET', `/payments?${range}&status=${status}`)).body.data
  expect(await list('unidentified')).toMatchObject([{ payment_id: unknown, amount: '80.10', provider: 'cardpay' }])
  const before = await list()
  expect(before).toMatchObject([
    { payment_id: recent, is_first_payment: false, payer: { first_name: 'Ana', primary_email: 'ana@example.com' } },
    { payment_id: earlier, is_first_payment: true },
    { payment_id: unknown, is_first_payment: true },
  ])

  // Until the pipeline has carried the assignment the answer is 502, and the same request confirms it.
  const customer_profile_id = before[0].payer.customer_profile_id
  const assign = () => call('PUT', `/payments/${unknown}/payer`, { customer_profile_id })
  let assigned = await assign()
  while (assigned.status === 502) {
    expect(assigned.body.error.code).toBe('payment_assignment_incomplete')
    assigned = await assign()
  }
  expect([assigned.status, assigned.body.data?.payer?.customer_profile_id]).toEqual([200, customer_profile_id])
  expect((await call('PUT', `/payments/${recent}/installment`, { is_installment: true })).status).toBe(200)
  expect((await call('POST', `/payments/${earlier}/refund`, { amount: '25.50' })).status).toBe(201)
  await drain()

  const after = await list()
  expect(after).toMatchObject([
    { payment_id: recent, is_installment: true, is_first_payment: false },
    { payment_id: earlier, net_amount: '74.50', refunded_manual: '25.50', is_first_payment: false },
    { payment_id: unknown, is_payer_assigned: true, is_first_payment: true, payer: { customer_profile_id } },
  ])
  expect(await list('unidentified')).toEqual([])
  const live = await credits()

  await stack.touchline('replay', '--yes', '--json')
  expect(await list()).toEqual(after)
  expect(await credits()).toEqual(live)
})

it('what is told again without a time stays when it was', { timeout: 300_000 }, async () => {
  const sale = (idempotency_key: string, properties: object) =>
    call('POST', '/events', {
      event_type: 'payment_received',
      idempotency_key,
      properties,
      user_traits: { external_id: 'C-2' },
    })
  const first = (await sale('u-1', { value: 10 })).body.data.outcome_event_id
  const second = (await sale('u-2', { value: 20 })).body.data.outcome_event_id
  const reported = await call('POST', '/payments/cardpay', { payment_ref: 'tx-10', amount: '50', occurred_at: at(9) })
  const card = reported.body.data.payment_id
  await drain()
  const show = async (id: string) => (await call('GET', `/payments/${id}`)).body.data
  const times = async () => Promise.all([first, second, card].map(async (id) => (await show(id)).occurred_at))
  const before = await times()

  await sale('u-1', { value: 10, subject_ref: 'pet-1' })
  await sale('u-1', { value: 11, subject_ref: 'pet-1' })
  await call('POST', '/payments/cardpay', { payment_ref: 'tx-10', amount: '50', refunded_amount: '10' })
  await drain()
  expect(await times()).toEqual(before)
  expect(await show(first)).toMatchObject({ amount: '11.00', is_first_payment: true })
  expect(await show(second)).toMatchObject({ is_first_payment: false })
  expect(await show(card)).toMatchObject({ net_amount: '40.00' })

  await stack.touchline('replay', '--yes', '--json')
  expect(await times()).toEqual(before)
})
