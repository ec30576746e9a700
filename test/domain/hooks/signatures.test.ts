import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { shopifySignature, standardSignature, stripeSignature } from '../../../domain/hooks/signatures.ts'

const now = Date.parse('2026-10-02T10:00:00Z')
const seconds = now / 1000
const body = Buffer.from('{"id":"evt_1","name":"José"}')
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const hmac = (key: string | Buffer, text: string | Buffer) => createHmac('sha256', key).update(text)
const ask = (headers: Record<string, string>, sent = body) => ({
  header: (name: string) => headers[name],
  body: sent,
  now,
})

describe('Stripe', () => {
  const sign = (time: number, key = secret) => hmac(key, Buffer.concat([Buffer.from(`${time}.`), body])).digest('hex')
  const verify = (signature: string, sent = body, secrets = [secret]) =>
    stripeSignature(secrets, ask({ 'stripe-signature': signature }, sent))

  test.each([
    ['its own', `t=${seconds},v1=${sign(seconds)}`],
    ['one of several', `t=${seconds},v1=${'0'.repeat(64)},v1=${sign(seconds)},v0=abc`],
    ['spaces after commas', `t=${seconds}, v1=${sign(seconds)}`],
    ['five minutes ago', `t=${seconds - 300},v1=${sign(seconds - 300)}`],
  ])('holds: %s', (_what, signature) => expect(verify(signature)).toBeUndefined())

  test.each([
    ['malformed_signature', ''.padEnd(5, 'x')],
    ['malformed_signature', `t=${seconds}`],
    ['malformed_signature', `v1=${sign(seconds)}`],
    ['malformed_signature', `t=${seconds},v0=${sign(seconds)}`],
    ['malformed_signature', `t=${seconds},v1=${sign(seconds).slice(0, 63)}`],
    ['wrong_signature', `t=${seconds},v1=${sign(seconds, 'another')}`],
    ['wrong_signature', `t=${seconds + 1},v1=${sign(seconds)}`],
    ['stale_timestamp', `t=${seconds - 301},v1=${sign(seconds - 301)}`],
    ['stale_timestamp', `t=${seconds + 301},v1=${sign(seconds + 301)}`],
  ])('%s: %s', (fault, signature) => expect(verify(signature)).toBe(fault))

  test('does not hold for a changed body, or without a header', () => {
    expect(verify(`t=${seconds},v1=${sign(seconds)}`, Buffer.from('{}'))).toBe('wrong_signature')
    expect(stripeSignature([secret], ask({}))).toBe('missing_signature')
  })

  test('holds under any of the secrets of a rotation', () => {
    expect(
      verify(`t=${seconds},v1=${sign(seconds, 'the one before')}`, body, [secret, 'the one before']),
    ).toBeUndefined()
  })
})

test('Shopify signs the body in base64', () => {
  const signature = hmac(secret, body).digest('base64')
  const verify = (sent: string, of = body) => shopifySignature([secret], ask({ 'x-shopify-hmac-sha256': sent }, of))
  expect(verify(signature)).toBeUndefined()
  expect(verify(signature, Buffer.from('{}'))).toBe('wrong_signature')
  expect(verify(hmac('another', body).digest('base64'))).toBe('wrong_signature')
  expect(verify(hmac(secret, body).digest('hex'))).toBe('malformed_signature')
  expect(shopifySignature([secret], ask({}))).toBe('missing_signature')
})

test('Standard Webhooks sign id, time and body', () => {
  const key = Buffer.from(secret.slice(6), 'base64')
  const sign = (id: string, time: number) =>
    `v1,${hmac(key, Buffer.concat([Buffer.from(`${id}.${time}.`), body])).digest('base64')}`
  const verify = (id: string, time: number, signature: string) =>
    standardSignature(
      [secret],
      ask({ 'webhook-id': id, 'webhook-timestamp': String(time), 'webhook-signature': signature }),
    )
  expect(verify('msg_1', seconds, `v1a,other ${sign('msg_1', seconds)}`)).toBeUndefined()
  expect(verify('msg_2', seconds, sign('msg_1', seconds))).toBe('wrong_signature')
  expect(verify('msg_1', seconds - 301, sign('msg_1', seconds - 301))).toBe('stale_timestamp')
  expect(verify('msg_1', seconds, 'v2,abc')).toBe('malformed_signature')
  expect(standardSignature([secret], ask({ 'webhook-id': 'msg_1' }))).toBe('missing_signature')
})
