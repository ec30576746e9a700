import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { z } from 'zod'
import type { Scope } from '../../domain/scopes.ts'
import { type AppOptions, apiKeyAuthentication, buildApp, mount, onceWithKey, piiAccessLog } from '../../http/app.ts'
import { ApiError, DateRange, defineOperation, failsAs, limit, Model, one, page } from '../../http/operation.ts'
import { createLogger } from '../../infra/logger.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'

export const baseUrl = 'https://touchline.example'

/** What an app needs to serve persons and to take idempotency keys. */
export const guards = (pool: pg.Pool): Pick<AppOptions, 'accessLog' | 'once'> => ({
  accessLog: piiAccessLog(pool),
  once: onceWithKey(pool, Buffer.alloc(32, 7)),
})

/** Collects what a service would write to its log. */
export function captureLog() {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { logger: createLogger({ level: 'trace', destination }), text: () => lines.join('') }
}

const operation = defineOperation<{ fail: () => Promise<never> }>()
const Row = z.object({ id: z.string(), amount: z.number() })

/** One operation for each thing the frame promises. */
export const sampleOperations = [
  operation({
    id: 'listRows',
    method: 'GET',
    url: '/rows',
    summary: 'Rows',
    tags: ['Rows'],
    scopes: ['campaigns:read', 'conversions:read'],
    query: DateRange.extend({ model: Model.default('last_touch'), limit: limit({ default: 10, max: 100 }) }),
    response: page(Row, { meta: { model: Model } }),
    handler: ({ query }) => ({
      data: Array.from({ length: query.limit }, (_, n) => ({ id: String(n), amount: n })),
      pagination: { has_next: true, cursor: 'next' },
      meta: { model: query.model },
    }),
  }),
  operation({
    id: 'writeRow',
    method: 'POST',
    url: '/rows',
    summary: 'Write a row',
    tags: ['Rows'],
    scopes: ['attribution:write'],
    rateLimit: 'events',
    body: z.object({
      email: z.email(),
      note: failsAs('invalid_parameter', z.string().max(5).optional()),
      nested: z.object({ list: z.array(z.number()) }).optional(),
    }),
    response: one(z.object({ email_length: z.number() })),
    status: [202, 200],
    handler: ({ body }) => ({ email_length: body.email.length }),
  }),
  operation({
    id: 'writeStrictly',
    method: 'POST',
    url: '/strict',
    summary: 'Takes the fields that it knows and no other',
    tags: ['Rows'],
    scopes: ['attribution:write'],
    body: z.strictObject({ name: z.string().optional(), nested: z.array(z.strictObject({})).optional() }),
    response: one(Row),
    handler: () => ({ id: 'x', amount: 1 }),
  }),
  operation({
    id: 'readRow',
    method: 'GET',
    url: '/rows/:id',
    summary: 'One row',
    tags: ['Rows'],
    scopes: ['customers:read'],
    params: z.object({ id: z.uuid() }),
    onInvalid: { params: 'customer_not_found' },
    response: one(Row),
    errors: ['customer_not_found'],
    handler: () => {
      throw new ApiError('customer_not_found')
    },
  }),
  operation({
    id: 'breakSchema',
    method: 'GET',
    url: '/broken',
    summary: 'Breaks its own schema',
    tags: ['Rows'],
    scopes: ['analytics:read'],
    response: one(Row),
    handler: () => ({ id: 'x', amount: 'ana@example.com' as unknown as number }),
  }),
  operation({
    id: 'leakField',
    method: 'GET',
    url: '/leaky',
    summary: 'Returns more than it declares',
    tags: ['Rows'],
    scopes: ['analytics:read'],
    response: one(Row),
    handler: () => ({ id: 'x', amount: 1, email: 'ana@example.com' }),
  }),
  operation({
    id: 'fail',
    method: 'GET',
    url: '/fail',
    summary: 'Fails as its dependency does',
    tags: ['Rows'],
    scopes: ['analytics:read'],
    response: one(Row),
    handler: ({ fail }) => fail(),
  }),
  operation({
    id: 'onlyPeople',
    method: 'GET',
    url: '/people-only',
    summary: 'For console sessions',
    tags: ['Rows'],
    scopes: ['analytics:read'],
    auth: ['session'],
    response: one(Row),
    handler: () => ({ id: 'x', amount: 1 }),
  }),
]

export async function sampleApp(
  pool: pg.Pool,
  options: Partial<AppOptions> & { fail?: () => Promise<never> } = {},
): Promise<FastifyInstance> {
  const fail = options.fail ?? (() => Promise.reject(new Error('unexpected')))
  return buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(pool),
    ...guards(pool),
    mounts: [mount(sampleOperations, { fail }, ['postgres', 'clickhouse'])],
    ...options,
  })
}

export async function bearer(pool: pg.Pool, profileId: string, scopes: Scope[], rateLimitPerMinute?: number) {
  const { key } = await createApiKey(pool, { profileId, scopes, rateLimitPerMinute })
  return { authorization: `Bearer ${key}` }
}
