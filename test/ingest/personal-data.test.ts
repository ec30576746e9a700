import { randomUUID } from 'node:crypto'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { captureLog } from '../http/test-app.ts'
import { collectApp, openWorld } from './world.ts'

const secrets = [
  'maria.perez',
  'example.org',
  '987654321',
  '8765 4321',
  '12345678',
  'María',
  'Pérez',
  'C-4711',
  'v-secret',
]
const addresses = ['203.0.113.77', '198.51.100.88', '192.0.2.99']

test('no line of the log and no label of a metric says who it was or where from, whether taken, refused or failed', async () => {
  const world = await openWorld()
  const log = captureLog()
  const { key } = await createApiKey(world.pool, { profileId: world.profile, scopes: ['attribution:write'] })
  const failing = { send: () => Promise.reject(new Error('maria.perez@example.org broke it from 203.0.113.77')) }
  const app = await collectApp(world, {}, { logger: log.logger })
  const broken = await collectApp(world, { producer: failing }, { logger: log.logger, metrics: new Registry() })

  const user_traits = {
    email: 'maria.perez@example.org',
    phone: '+56 9 8765 4321',
    national_id: '12.345.678-5',
    external_id: 'C-4711',
    first_name: 'María',
    last_name: 'Pérez',
  }
  const hit = {
    event_id: randomUUID(),
    event_type: 'identify',
    user_traits,
    url: 'https://x.cl/maria.perez@example.org',
  }
  const visit = { tracking_key: world.trackingKey, visitor_id: 'v-secret', events: [hit] }
  const event = { event_type: 'lead_created', visitor_id: 'v-secret', user_traits }
  const bodies = [
    ['/collect?email=maria.perez@example.org', visit],
    ['/collect', { ...visit, tracking_key: 'maria.perez@example.org' }],
    ['/collect', { ...visit, events: [{ ...hit, event_time: 'María' }] }],
    ['/collect', 'maria.perez@example.org'],
    ['/api/v1/events', event],
    ['/api/v1/events', { ...event, occurred_at: 'María' }],
    ['/api/v1/events', { ...event, event_type: { email: 'maria.perez@example.org' } }],
    ['/nowhere/maria.perez@example.org', event],
  ] as const
  const statuses: number[] = []
  for (const to of [app, broken]) {
    for (const [url, payload] of bodies) {
      const answer = await to.inject({
        method: 'POST',
        url,
        remoteAddress: '127.0.0.1',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-forwarded-for': addresses.join(', '),
          'x-request-id': 'maria.perez@example.org',
          'user-agent': 'maria.perez@example.org',
          referer: 'https://example.org/?email=maria.perez@example.org',
          cookie: 'email=maria.perez@example.org',
        },
        payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      })
      statuses.push(answer.statusCode)
      for (const secret of [...secrets, ...addresses]) expect(answer.body, `answer of ${url}`).not.toContain(secret)
    }
  }
  expect(statuses).toEqual([204, 401, 422, 400, 202, 422, 422, 404, 500, 401, 422, 400, 500, 422, 422, 404])

  const metrics = (await app.inject({ url: '/metrics' })).body
  const logged = log.text()
  const isLogged = ([url]: (typeof bodies)[number]) => !url.startsWith('/collect')
  expect(logged.split('"msg":"request"').length - 1).toBeGreaterThanOrEqual(2 * bodies.filter(isLogged).length)
  expect(metrics).toContain('touchline_ingest_accepted_total{source="collect"} 1')
  for (const secret of [...secrets, ...addresses, world.trackingKey, key]) {
    expect(logged, 'the log').not.toContain(secret)
    expect(metrics, 'the metrics').not.toContain(secret)
  }
  await app.close()
  await broken.close()
  await world.close()
})

test('metrics are for the inside: nobody else, and nothing through a proxy', async () => {
  const world = await openWorld()
  const app = await collectApp(world)
  const status = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode
  expect(await status('127.0.0.1')).toBe(200)
  expect(await status('203.0.113.7')).toBe(404)
  expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.7' })).toBe(404)
  expect(await status('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).toBe(404)
  expect(await status('127.0.0.1', { via: '1.1 proxy' })).toBe(404)
  expect((await app.inject({ url: '/healthz', remoteAddress: '203.0.113.7' })).statusCode).toBe(200)
  await app.close()
  await world.close()
})
