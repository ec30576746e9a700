import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ErrorEnvelope } from '../../http/errors.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { isOutcome, isVisit } from '../../processors/facts/plausible.ts'
import type { ServerEvent, VisitBatch } from '../../schemas/messages.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { collectApp, openWorld, type World } from './world.ts'

let world: World
let app: FastifyInstance
let authorization: string
let produced: { topic: string; value: unknown }[] = []

beforeAll(async () => {
  world = await openWorld()
  const options = { profileId: world.profile, scopes: ['attribution:write' as const], rateLimitPerMinute: 1_000_000 }
  authorization = `Bearer ${(await createApiKey(world.pool, options)).key}`
  const producer = {
    send: async <Value>(topic: Topic<Value>, values: readonly Value[]) => {
      await world.producer.send(topic, values)
      produced.push(...values.map((value) => ({ topic: topic.name, value })))
    },
  }
  app = await collectApp(world, { producer })
})
afterAll(async () => {
  await app.close()
  await world.close()
})

async function send(url: string, payload: string | Buffer, type = 'application/json') {
  produced = []
  return app.inject({ method: 'POST', url, headers: { authorization, 'content-type': type }, payload })
}

/** Whatever comes: taken and produced once and storable, or refused with the whole envelope and nothing produced. */
async function answersProperly(url: string, payload: string | Buffer, type?: string) {
  const answer = await send(url, payload, type)
  if (answer.statusCode === (url === '/collect' ? 204 : 202)) {
    expect(produced).toHaveLength(1)
    const [{ topic, value }] = produced as [(typeof produced)[number]]
    const isStorable =
      topic === topics.visits.name
        ? isVisit(value as VisitBatch, Date.now())
        : isOutcome(value as ServerEvent, Date.now())
    expect(isStorable).toBe(true)
    return
  }
  expect(produced).toEqual([])
  expect(answer.statusCode).toBeGreaterThanOrEqual(400)
  expect(answer.statusCode).toBeLessThan(500)
  const { error } = ErrorEnvelope.parse(answer.json())
  expect(error).toMatchObject({ status: answer.statusCode, request_id: answer.headers['x-request-id'] })
  expect(error.message.length).toBeGreaterThan(0)
  expect(error.docs_url).toBe(`http://localhost/docs/errors/${error.code}`)
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '',
    '\u0000',
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '1e999',
    '-0',
    '2026-02-30',
    '+56 9 8765 4321',
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.emailAddress(),
)
const anything = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.double(),
  fc.integer(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant(null),
)
const names = (known: string[]) => fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, text)
const person = fc.dictionary(names(['email', 'phone', 'national_id', 'external_id', 'first_name', 'country']), anything)
const properties = fc.dictionary(names(['value', 'currency', 'subject_ref']), anything)
/** Some of the fields right, some replaced by anything, some added: near enough to what is taken to get far in. */
const nearly = (right: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(fc.record(right), fc.dictionary(names(Object.keys(right)), anything, { maxKeys: 2 }))
    .map(([good, odd]) => ({ ...good, ...odd }))

const hit = nearly({
  event_id: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 200 })),
  event_type: fc.constantFrom('page_view', 'purchase'),
  event_name: text,
  event_time: fc.oneof(fc.constant(null), fc.integer({ min: Date.now() - 1e10, max: Date.now() + 1e10 })),
  url: text,
  referrer: text,
  properties: fc.oneof(fc.constant(undefined), properties),
  user_traits: fc.oneof(fc.constant(undefined), person),
})
const visit = nearly({
  visitor_id: fc.string({ minLength: 1, maxLength: 100 }),
  sent_at: fc.oneof(fc.constant(null), fc.integer({ min: Date.now() - 1e10, max: Date.now() + 1e10 })),
  events: fc.array(hit, { minLength: 1, maxLength: 3 }),
})
const event = nearly({
  event_type: fc.constantFrom('lead_created', 'payment_received'),
  idempotency_key: fc.string({ minLength: 1, maxLength: 100 }),
  occurred_at: fc.oneof(
    fc.constant(null),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  properties: fc.oneof(fc.constant(undefined), properties),
  user_traits: fc.oneof(fc.constant(undefined), person),
  click_ids: fc.oneof(fc.constant(undefined), fc.dictionary(names(['gclid', 'fbclid']), anything)),
})

const runs = { numRuns: 200 }

describe('whatever is sent', () => {
  test.each(['/collect', '/api/v1/events'])('to %s: bytes', async (url) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => answersProperly(url, Buffer.from(bytes))),
      runs,
    )
  })

  test.each(['/collect', '/api/v1/events'])('to %s: JSON', async (url) => {
    const json = fc.oneof(
      fc.json({ maxDepth: 5 }),
      anything.map((value) => JSON.stringify(value) ?? ''),
    )
    await fc.assert(
      fc.asyncProperty(json, (body) => answersProperly(url, body)),
      runs,
    )
  })

  test('to /collect: nearly a visit', async () => {
    await fc.assert(
      fc.asyncProperty(visit, fc.constantFrom('application/json', 'text/plain'), (sent, type) =>
        answersProperly('/collect', JSON.stringify({ tracking_key: world.trackingKey, ...sent }), type),
      ),
      { numRuns: 400 },
    )
  })

  test('to /api/v1/events: nearly an event', async () => {
    await fc.assert(
      fc.asyncProperty(event, (sent) => answersProperly('/api/v1/events', JSON.stringify(sent))),
      { numRuns: 400 },
    )
  })

  test('some of it is taken, so that the rest means something', async () => {
    const statuses = new Set<number>()
    for (const sent of fc.sample(visit, { numRuns: 60, seed: 7 })) {
      statuses.add((await send('/collect', JSON.stringify({ tracking_key: world.trackingKey, ...sent }))).statusCode)
    }
    for (const sent of fc.sample(event, { numRuns: 60, seed: 7 })) {
      statuses.add((await send('/api/v1/events', JSON.stringify(sent))).statusCode)
    }
    expect([...statuses]).toEqual(expect.arrayContaining([202, 204, 422]))
  })
})
