import { randomUUID } from 'node:crypto'
import { createClient } from '@clickhouse/client'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ids } from '../../domain/ids.ts'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { liveGeneration } from '../../postgres/stores/warehouse.ts'
import { topics } from '../../schemas/topics.ts'
import { type OwnStack, ownStack } from './own-stack.ts'

/** A stack of its own: a replay makes another database the live one. */
let stack: OwnStack
let postgres: pg.Pool
let profile: string
let key: string
let trackingKey: string

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const day = 86_400_000
const today = Math.floor(Date.now() / day) * day
const range = `date_from=${new Date(today - 20 * day).toISOString().slice(0, 10)}&date_to=${new Date(today).toISOString().slice(0, 10)}`
const ana = {
  external_id: 'ana-key-1001',
  email: 'ana.rojas@example.com',
  phone: '+56987654321',
  first_name: 'Ana',
  last_name: 'Rojas',
}
/** An id of hers that a shop writes into its addresses and names, in clear. */
const written = 'tienda-0099887766'

async function api(method: 'GET' | 'POST', path: string, body?: object) {
  const answer = await fetch(`${stack.endpoints.base_url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: answer.status, body: (await answer.json()) as { data: never; error: { code: string } } }
}

async function visit(visitor_id: string, events: object[]) {
  const answer = await fetch(`${stack.endpoints.base_url}/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': browser },
    body: JSON.stringify({
      tracking_key: trackingKey,
      visitor_id,
      events: events.map((event) => ({ event_id: randomUUID(), event_type: 'page_view', ...event })),
    }),
  })
  expect(answer.status).toBe(204)
}
const pay = (idempotency_key: string, at: number, value: number, user_traits: object) =>
  api('POST', '/events', {
    event_type: 'payment_received',
    idempotency_key,
    occurred_at: new Date(at).toISOString(),
    properties: { value, currency: 'USD', subject_ref: 'pet-1' },
    user_traits,
  })
const drain = () => stack.touchline('drain', '--json')

async function rows(sql: string): Promise<string[]> {
  const client = createClient({
    url: stack.endpoints.clickhouse_url,
    database: `touchline_g${await liveGeneration(postgres)}`,
  })
  const text = await (await client.query({ query: sql, format: 'JSONEachRow' })).text()
  await client.close()
  return text.split('\n').filter(Boolean)
}

/** Every figure and every row that figures are made of. */
async function figures() {
  const reports = await Promise.all(
    ['last_touch', 'first_touch', 'linear', 'time_decay', 'last_non_direct', 'position_based'].map(async (model) => [
      (await api('GET', `/campaigns?${range}&limit=100&model=${model}`)).body.data,
      (await api('GET', `/campaigns/unattributed?${range}&model=${model}`)).body.data,
    ]),
  )
  const tables: Record<string, string[]> = {}
  for (const table of ['hits', 'outcomes', 'touches', 'credits', 'report_credits', 'identity_map']) {
    // A hash is of texts as well.
    const hash = ['touches', 'credits'].includes(table) ? ', content_hash' : ''
    const lines = await rows(`SELECT * EXCEPT (version${hash}) FROM ${table} FINAL`)
    tables[table] = lines.map(withoutTexts).sort()
  }
  return { reports, tables }
}

/** Texts are all that an erasure changes in the warehouse. */
const withoutTexts = (line: string) => line.replaceAll(written, '[erased]')

/** Rows of any version in which a sender's text names her. */
const namingHer = async () => {
  const found: string[] = []
  for (const table of ['hits', 'outcomes', 'touches', 'credits', 'event_receipts']) {
    const lines = await rows(`SELECT * FROM ${table}`)
    found.push(...lines.filter((line) => withoutTexts(line) !== line).map(() => table))
  }
  return [...new Set(found)]
}

const receipt = async (id: string) => (await api('GET', `/customers/erasures/${id}`)).body.data as { status: string }
const isDone = (id: string) =>
  vi.waitUntil(async () => (await receipt(id)).status === 'done', { timeout: 60_000, interval: 200 })

beforeAll(async () => {
  stack = await ownStack()
  postgres = connectPostgres(stack.endpoints.database_url)
  profile = (
    await stack.touchline<{ profile_id: string }>(
      'profiles',
      'create',
      '--name',
      'Clinic',
      '--currency',
      'USD',
      '--json',
    )
  ).profile_id
  const scopes = 'attribution:write,customers:read,conversions:read,campaigns:read,analytics:read'
  key = (
    await stack.touchline<{ key: string }>(
      'keys',
      'create',
      '--profile',
      profile,
      '--scopes',
      scopes,
      '--rate-limit',
      '100000',
      '--json',
    )
  ).key
  trackingKey = ((await api('POST', '/tracking/keys')).body.data as { key: string }).key
}, 300_000)
afterAll(async () => {
  await postgres?.end()
  await stack?.remove()
})

describe('an erased customer', () => {
  let before: Awaited<ReturnType<typeof figures>>
  let erasureId: string
  let customerId: string
  let tokens: string[]

  it('has a history first: an imported person, a browser that a link token gave them, payments, and neighbours', async () => {
    const imported = await api('POST', '/customers', {
      rows: [{ email: ana.email, external_id: ana.external_id, first_name: 'Ana' }],
    })
    customerId = (imported.body.data as { results: { customer_profile_id: string }[] }).results[0]!.customer_profile_id
    const minted = await api('POST', '/customers/link-tokens', { customers: [{ customer_key: ana.external_id }] })
    const [{ token }] = (minted.body.data as { results: [{ token: string }] }).results
    const at = today - 5 * day
    await visit('ana-browser', [
      { event_time: at, url: 'https://shop.example/a?utm_source=meta&utm_medium=cpc&utm_campaign=spring&fbclid=f1' },
      { event_time: at + 3_600_000, url: 'https://shop.example/b?utm_source=google&utm_medium=cpc', link_token: token },
      {
        event_time: at + 5_400_000,
        event_type: `login ${written}`,
        event_name: `hello ${written}`,
        url: `https://shop.example/u/${written}?utm_source=${written}&utm_term=to+${written}`,
      },
    ])
    await api('POST', '/events', {
      event_type: `lead ${written}`,
      idempotency_key: 'lead-1',
      occurred_at: new Date(at + day).toISOString(),
      user_traits: { email: ana.email },
    })
    await visit('ana-browser', [
      { event_time: at + 7_200_000, event_type: 'identify', user_traits: { ...ana, store_customer_id: written } },
    ])
    await visit('ben-browser', [
      {
        event_time: at,
        url: 'https://shop.example/?utm_source=meta&utm_medium=cpc',
        user_traits: { email: 'ben@example.com' },
      },
    ])
    await visit('ben-browser', [{ event_time: at - day, url: 'https://shop.example/a', link_token: token }])
    await pay('order-1', at + day, 120.5, ana)
    await pay('order-2', at + 2 * day, 80, { email: ana.email })
    await pay('order-3', at + day, 10, { email: 'ben@example.com' })
    await drain()
    expect(
      await namingHer(),
      (
        await rows(
          'SELECT subject_id, touch_time, url, source, is_deleted, version FROM touches UNION ALL SELECT subject_id, event_time, url, signature, is_bot, version FROM hits',
        )
      ).join('\n'),
    ).toEqual(['hits', 'outcomes', 'touches', 'credits', 'event_receipts'])
    before = await figures()
    expect(before.tables.credits!.length).toBeGreaterThanOrEqual(3)
    const owner = async (visitor: string) =>
      (
        await postgres.query(
          'SELECT i.customer_id FROM visitor_assignments v JOIN identifiers i USING (profile_id, token) WHERE v.visitor_id = $1',
          [ids.visitor(profile, visitor)],
        )
      ).rows[0].customer_id
    expect(await owner('ana-browser')).toBe(customerId)
    // Her link was opened in a browser where Ben had signed in, by a hit that claims to be of the day before.
    expect(await owner('ben-browser')).not.toBe(customerId)
    tokens = (await postgres.query('SELECT token FROM identifiers WHERE customer_id = $1', [customerId])).rows.map(
      (row) => row.token,
    )
    expect(tokens).toHaveLength(4)
    expect((await api('GET', `/customers/journey?customer_key=${ana.external_id}`)).status).toBe(200)
  }, 180_000)

  it('is gone at once by every name, and the search of every store ends clean', async () => {
    const { status, body } = await api('POST', '/customers/erasures', {
      request_ref: 'dsr-1',
      customer_key: ana.external_id,
    })
    expect(status).toBe(202)
    erasureId = (body.data as { erasure_id: string }).erasure_id
    for (const selector of [
      `customer_key=${ana.external_id}`,
      `email=${ana.email}`,
      `phone=${encodeURIComponent(ana.phone)}`,
    ]) {
      const answer = await api('GET', `/customers/journey?${selector}`)
      expect([answer.status, answer.body.error.code], selector).toEqual([404, 'customer_not_found'])
    }
    const minted = await api('POST', '/customers/link-tokens', {
      customers: [{ customer_key: ana.external_id }, { customer_profile_id: customerId }, { email: ana.email }],
    })
    expect((minted.body.data as { results: { reason: string }[] }).results.map(({ reason }) => reason)).toEqual([
      'erased',
      'erased',
      'no_match',
    ])
    expect((await api('GET', `/customers/${customerId}/journey`)).body.data).toMatchObject({
      events: [],
      total_count: 0,
    })
    await isDone(erasureId)
    const { rows: audits } = await postgres.query('SELECT search, result FROM erasure_audits WHERE erasure_id = $1', [
      erasureId,
    ])
    expect(audits[0]).toMatchObject({
      search: null,
      result: { topics: { still_open: 0 }, postgres: { found: [] }, clickhouse: { found: [] } },
    })
    expect(await namingHer()).toEqual([])
    const subjectRefs = await postgres.query("SELECT count(*)::int AS n FROM vault WHERE type = 'subject_ref'")
    // Ben paid for the same subject.
    expect(subjectRefs.rows[0].n).toBe(1)
  }, 120_000)

  it('leaves every figure as it was, to the last digit', async () => {
    await drain()
    expect(await figures()).toEqual(before)
    const listed = await api('GET', `/customers?${range}&goal=payment_received&limit=100`)
    const own = (
      listed.body.data as { customer_profile_id: string; name: string | null; email: string | null }[]
    ).filter((row) => row.customer_profile_id === customerId)
    expect(own).toHaveLength(2)
    for (const row of own) expect(row).toMatchObject({ name: null, email: null })
    const conversion = await api('GET', '/conversions/order-1/journey')
    expect(conversion.status).toBe(200)
    expect(JSON.stringify(conversion.body)).not.toMatch(/ana|Rojas|56987654321|tienda/i)
  }, 120_000)

  it('keeps its browser and its figures, whatever time somebody claims to have been in it', async () => {
    await visit('ana-browser', [
      { event_time: today - 400 * day, event_type: 'identify', user_traits: { external_id: 'squatter-2002' } },
    ])
    await drain()
    const after = await figures()
    expect(after.reports).toEqual(before.reports)
    for (const table of ['credits', 'report_credits']) expect(after.tables[table]).toEqual(before.tables[table])
    before = after
  }, 120_000)

  it('cannot be opened in any topic', async () => {
    const sealed = (await postgres.query('SELECT count(*)::int AS n FROM vault WHERE token = ANY($1)', [tokens]))
      .rows[0].n
    expect(sealed).toBe(0)
    for (const topic of [topics.visits, topics.events, topics.identity]) {
      const consumer = connectConsumer({
        brokers: stack.endpoints.kafka_brokers.split(','),
        group: `test-${randomUUID()}`,
        topics: [topic.name],
      })
      const batch = await consumer.next()
      expect(batch!.messages.length).toBeGreaterThan(0)
      for (const { value, key: messageKey } of batch!.messages) {
        for (const personal of ['ana.rojas', 'Rojas', '56987654321', ana.external_id]) {
          expect(Buffer.concat([value!, Buffer.from(String(messageKey))]).includes(personal)).toBe(false)
        }
      }
      await consumer.close()
    }
  }, 60_000)

  it('stays gone, and every figure stays, after a full replay', async () => {
    const generation = await liveGeneration(postgres)
    await stack.touchline('replay', '--yes', '--json')
    expect(await liveGeneration(postgres)).toBeGreaterThan(generation)
    await drain()
    expect(await figures()).toEqual(before)
    const { rows: people } = await postgres.query(
      'SELECT value, first_name, last_name FROM identifiers WHERE customer_id = $1',
      [customerId],
    )
    for (const row of people) expect(row).toEqual({ value: null, first_name: null, last_name: null })
    expect(await namingHer()).toEqual([])
  }, 300_000)

  it('stays gone after a replay in place', async () => {
    await stack.touchline('replay', '--profile', profile, '--yes', '--json')
    await drain()
    expect(await figures()).toEqual(before)
    expect(await namingHer()).toEqual([])
  }, 300_000)

  it('that is named again by key counts as nobody; by e-mail it is somebody new', async () => {
    await pay('order-4', today - day, 5, { ...ana })
    await pay('order-5', today - day, 7, { email: ana.email })
    await drain()
    const found = await rows(
      `SELECT o.outcome_id AS id, toString(m.customer_id) AS customer FROM outcomes AS o FINAL
       LEFT JOIN (SELECT * FROM identity_map FINAL) AS m ON m.subject_id = o.subject_id
       WHERE o.outcome_id IN ('${ids.serverEvent(profile, 'order-4')}', '${ids.serverEvent(profile, 'order-5')}')`,
    )
    const customers = new Map(found.map((line) => JSON.parse(line)).map(({ id, customer }) => [id, customer]))
    expect(customers.get(ids.serverEvent(profile, 'order-4'))).toBe('00000000-0000-0000-0000-000000000000')
    expect(customers.get(ids.serverEvent(profile, 'order-5'))).not.toBe(customerId)
    expect((await api('GET', `/customers/journey?customer_key=${ana.external_id}`)).status).toBe(404)
    expect((await api('GET', `/customers/journey?email=${ana.email}`)).status).toBe(200)
    expect(
      (await api('POST', '/customers/erasures', { request_ref: 'dsr-2', customer_key: ana.external_id })).status,
    ).toBe(200)
  }, 120_000)

  it('whose background was killed half-way is finished after the restart', async () => {
    await api('POST', '/customers', {
      rows: Array.from({ length: 20 }, (_, n) => ({ email: `crowd${n}@example.com` })),
    })
    await drain()
    const begun = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const { body } = await api('POST', '/customers/erasures', {
          request_ref: `crowd-${n}`,
          email: `crowd${n}@example.com`,
        })
        return (body.data as { erasure_id: string }).erasure_id
      }),
    )
    stack.kill('processors')
    await stack.isBack('processors')
    // What the dead process had taken is left alone until its lease is over.
    await postgres.query('UPDATE erasure_audits SET next_attempt_at = now() WHERE search IS NOT NULL')
    for (const id of begun) await isDone(id)
  }, 180_000)
})
