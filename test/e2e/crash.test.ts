import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type OwnStack, ownStack } from './own-stack.ts'

let stack: OwnStack
beforeAll(async () => {
  stack = await ownStack()
}, 180_000)
afterAll(() => stack?.remove(), 60_000)

// Hits of programs are bots' hits and start no touch.
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${stack.endpoints.base_url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': browser, ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })

it('loses no accepted hit or sale and counts none twice while every part is killed in turn', async () => {
  const { profile_id } = await stack.touchline<{ profile_id: string }>(
    'profiles',
    'create',
    '--name',
    'crash',
    '--json',
  )
  const scopes = 'attribution:write,campaigns:read'
  const { key } = await stack.touchline<{ key: string }>(
    'keys',
    'create',
    '--profile',
    profile_id,
    '--scopes',
    scopes,
    '--rate-limit',
    '100000',
    '--json',
  )
  const authorization = { authorization: `Bearer ${key}` }
  const { data } = (await (await post('/api/v1/tracking/keys', {}, authorization)).json()) as { data: { key: string } }

  const accepted = { hits: new Set<string>(), sales: new Set<string>() }
  const refusals = new Map<number, number>()
  let isSending = true
  /** Sends one thing until it is accepted, as a tracker or a back office does, and never under another id. */
  const insist = async (send: () => Promise<Response>, isAccepted: (status: number) => boolean) => {
    for (;;) {
      const response = await send().catch(() => undefined)
      await response?.arrayBuffer().catch(() => undefined)
      if (response && isAccepted(response.status)) return true
      refusals.set(response?.status ?? 0, (refusals.get(response?.status ?? 0) ?? 0) + 1)
      if (response && response.status < 500 && response.status !== 429)
        throw new Error(`refused with ${response.status}`)
      await sleep(200)
    }
  }
  const visitor = async (n: number) => {
    for (let i = 0; isSending; i++) {
      const [hit, sale] = [randomUUID(), randomUUID()]
      const email = `person-${n}-${i}@example.com`
      const events = [
        {
          event_id: hit,
          event_type: 'page_view',
          event_time: new Date().toISOString(),
          url: 'https://shop.example/',
          user_traits: { email },
        },
      ]
      const visit = { tracking_key: data.key, visitor_id: `v-${n}-${i}`, sent_at: new Date().toISOString(), events }
      if (
        await insist(
          () => post('/collect', visit),
          (status) => status === 204,
        )
      )
        accepted.hits.add(hit)
      const event = {
        event_type: 'payment_received',
        idempotency_key: sale,
        properties: { value: 12.34, currency: 'USD' },
        user_traits: { email },
      }
      if (
        await insist(
          () => post('/api/v1/events', event, authorization),
          (status) => status === 202,
        )
      )
        accepted.sales.add(sale)
      await sleep(20)
    }
  }
  const visitors = Promise.all(Array.from({ length: 4 }, (_, n) => visitor(n)))
  for (const name of ['processors', 'kafka', 'clickhouse', 'postgres', 'valkey', 'api']) {
    const before = accepted.sales.size
    await vi.waitUntil(() => accepted.sales.size >= before + 10, { timeout: 60_000, interval: 50 })
    stack.kill(name)
    await stack.isBack(name)
  }
  isSending = false
  await visitors
  await stack.touchline('drain', '--timeout', '180', '--json')

  const clickhouse = createClient({ url: stack.endpoints.clickhouse_url, database: 'touchline_g1' })
  const count = async (sql: string) => {
    const rows = await (await clickhouse.query({ query: sql, format: 'JSONEachRow' })).json<{ n: string }>()
    return Number(rows[0]!.n)
  }
  expect(await count('SELECT count() AS n FROM hits FINAL')).toBe(accepted.hits.size)
  expect(await count('SELECT count() AS n FROM outcomes FINAL')).toBe(accepted.sales.size)
  // Each person's visit and sale met: one touch in every path.
  expect(await count('SELECT countIf(length(touch_ids) = 1) AS n FROM credits FINAL')).toBe(accepted.sales.size)
  await clickhouse.close()

  const today = new Date().toISOString().slice(0, 10)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const answer = await fetch(
    `${stack.endpoints.base_url}/api/v1/campaigns/unattributed?date_from=${yesterday}&date_to=${today}`,
    { headers: authorization },
  )
  expect(((await answer.json()) as { data: object }).data).toMatchObject({
    outcome_count: accepted.sales.size,
    outcome_value: Math.round(accepted.sales.size * 1234) / 100,
  })
}, 600_000)
