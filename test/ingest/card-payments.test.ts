import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ids } from '../../domain/ids.ts'
import { apiKeyAuthentication, buildApp, mount } from '../../http/app.ts'
import { reportCardPayment } from '../../ingest/card-payments.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { topics } from '../../schemas/topics.ts'
import { openWorld, type World } from './world.ts'

let world: World
let app: FastifyInstance
let key: string

beforeAll(async () => {
  world = await openWorld({ currency: 'CLP' })
  app = await buildApp({
    baseUrl: 'http://localhost',
    logger: pino({ level: 'silent' }),
    authenticate: apiKeyAuthentication(world.pool),
    mounts: [mount([reportCardPayment], world.deps, ['kafka', 'postgres'])],
  })
  key = (await createApiKey(world.pool, { profileId: world.profile, scopes: ['attribution:write'] })).key
})
afterAll(async () => {
  await app.close()
  await world.close()
})

const report = (payload: object) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/payments/cardpay',
    headers: { authorization: `Bearer ${key}` },
    payload,
  })
const paid = (fields: object = {}) => ({ payment_ref: 'tx-1', amount: '45990', ...fields })

describe('POST /payments/cardpay', () => {
  test('makes each report a message of one payment', async () => {
    const occurred_at = new Date(Date.now() - 3_600_000).toISOString()
    const first = await report(
      paid({
        occurred_at,
        user_traits: { email: 'ana@example.com', external_id: 'C-1' },
        subject_ref: 'pet-1',
        click_ids: { gclid: 'G1' },
      }),
    )
    const id = ids.payment(world.profile, 'cardpay', 'tx-1')
    expect(first.statusCode).toBe(202)
    expect(first.json()).toEqual({ data: { payment_id: id }, meta: { profile_id: world.profile } })
    await report(paid({ refunded_amount: 990 }))
    const messages = await world.received(topics.payments, 2)
    expect(messages.map(({ value }) => value)).toMatchObject([
      {
        payment_id: id,
        provider: 'cardpay',
        external_id: 'tx-1',
        occurred_at: Date.parse(occurred_at),
        amount_minor: 45_990,
        currency: 'CLP',
        refunded_minor: 0,
        click_ids: { gclid: 'G1' },
      },
      { payment_id: id, refunded_minor: 990, subject_ref_token: null },
    ])
    expect(messages[0]!.value.subject_ref_token).toMatch(/^[0-9a-f-]{36}$/)
    expect(await world.reveal('value', messages[0]!.value.identifiers[0]!)).toBe('C-1')
    for (const personal of ['example.com', 'pet-1', 'C-1']) expect(messages[0]!.bytes.includes(personal)).toBe(false)
  })

  test.each([
    ['payment_ref_invalid', 422, { payment_ref: '4111 1111 1111 1111' }],
    ['payment_ref_invalid', 422, { payment_ref: '4111111111111111' }],
    ['payment_ref_invalid', 422, { payment_ref: 'ana@example.com' }],
    ['payment_ref_invalid', 422, { payment_ref: '' }],
    ['payment_ref_invalid', 422, { payment_ref: undefined }],
    ['payment_ref_invalid', 422, { payment_ref: {} }],
    ['validation_error', 422, { amount: 0 }],
    ['validation_error', 422, { amount: -1 }],
    ['validation_error', 422, { amount: undefined }],
    ['validation_error', 422, { currency: 'ZZZ' }],
    ['validation_error', 422, { refunded_amount: 45_991 }],
    ['validation_error', 422, { occurred_at: '2001-01-01' }],
    ['invalid_parameter', 400, { subject_ref: 'maria' }],
  ])('refuses with %s (%i) %j', async (code, status, fields) => {
    const answer = await report(paid(fields))
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code])
    expect(answer.body).not.toContain('4111')
    expect(answer.body).not.toContain('maria')
  })
})
