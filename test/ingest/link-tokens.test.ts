import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkTokens } from '../../domain/link-tokens.ts'
import { topics } from '../../schemas/topics.ts'
import { openWorld, type World } from './world.ts'

const now = Date.UTC(2026, 5, 1, 12)
const tokens = linkTokens([{ id: 'k', secret: randomBytes(32) }])!
const [later, earlier] = [new Date(now + 1000), new Date(now - 1000)]
let world: World
let app: FastifyInstance

beforeAll(async () => {
  world = await openWorld()
  app = world.app({ clock: () => now, linkTokens: tokens })
})
afterAll(async () => {
  await app.close()
  await world.close()
})

test('a good token is taken out of its hit; any other is ignored, and every visit counts', async () => {
  const identifier = randomUUID()
  const good = await tokens.mint(world.profile, identifier, later)
  const sent: unknown[] = [
    good,
    undefined,
    await tokens.mint(world.profile, identifier, earlier),
    await tokens.mint(randomUUID(), identifier, later),
    `${good.slice(0, -6)}AAAAAA`,
    await linkTokens([{ id: 'k', secret: randomBytes(32) }])!.mint(world.profile, identifier, later),
    'nonsense',
    'x'.repeat(20_000),
    7,
    null,
    { a: 1 },
    ['x'],
  ]
  const answer = await app.inject({
    method: 'POST',
    url: '/collect',
    headers: { 'content-type': 'application/json' },
    payload: {
      tracking_key: world.trackingKey,
      visitor_id: 'v-1',
      events: sent.map((link_token) => ({
        event_id: randomUUID(),
        event_type: 'page_view',
        url: `https://www.clinic.cl/a?svc_t=${good}&utm_source=mail`,
        referrer: `https://www.clinic.cl/b?svc_t=${good}`,
        link_token,
      })),
    },
  })
  expect(answer.statusCode).toBe(204)
  const [message] = await world.received(topics.visits, 1)
  expect(message!.value.hits.map(({ linked_token }) => linked_token)).toEqual([
    identifier,
    ...Array(sent.length - 1).fill(null),
  ])
  expect(message!.value.hits[0]!.url).toBe('https://www.clinic.cl/a?utm_source=mail')
  expect(message!.bytes.includes(good.slice(-40))).toBe(false)
})

test('without a key of its own a collector takes the visit and no token', async () => {
  const off = world.app({ clock: () => now })
  const answer = await off.inject({
    method: 'POST',
    url: '/collect',
    headers: { 'content-type': 'application/json' },
    payload: {
      tracking_key: world.trackingKey,
      visitor_id: 'v-2',
      events: [{ event_id: randomUUID(), event_type: 'page_view', link_token: 'x' }],
    },
  })
  expect(answer.statusCode).toBe(204)
  await off.close()
})
