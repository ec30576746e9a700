import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the time in a signature may be from ours: older ones are recordings. */
const toleranceMs = 5 * 60_000

export type SignatureFault = 'missing_signature' | 'malformed_signature' | 'wrong_signature' | 'stale_timestamp'

export interface SignedRequest {
  header(name: string): string | undefined
  body: Buffer
  now: number
}

/** Undefined when one of the secrets has signed the request. */
export type VerifySignature = (secrets: readonly string[], request: SignedRequest) => SignatureFault | undefined

const hmac = (key: string | Buffer, ...parts: (string | Buffer)[]): Buffer => {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** Every pair is compared, each in constant time: how long it takes tells nothing about any of them. */
function matches(expected: readonly Buffer[], sent: readonly Buffer[]): boolean {
  let isFound = false
  for (const one of expected) {
    for (const other of sent) {
      if (other.length === one.length && timingSafeEqual(one, other)) isFound = true
    }
  }
  return isFound
}

const maxSignatures = 8
const isFresh = (seconds: string, now: number) =>
  /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= toleranceMs

/** `Stripe-Signature: t=<seconds>,v1=<hex>,…` over `<t>.<body>`. */
export const stripeSignature: VerifySignature = (secrets, { header, body, now }) => {
  const sent = header('stripe-signature')
  if (!sent) return 'missing_signature'
  const pairs = sent.split(',').map((pair) => pair.trim().split('=', 2) as [string, string?])
  const time = pairs.find(([name]) => name === 't')?.[1]
  const signatures = pairs
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/i.test(value ?? ''))
    .slice(0, maxSignatures)
    .map(([, value]) => Buffer.from(value!, 'hex'))
  if (!time || signatures.length === 0) return 'malformed_signature'
  const expected = secrets.map((secret) => hmac(secret, `${time}.`, body))
  if (!matches(expected, signatures)) return 'wrong_signature'
  return isFresh(time, now) ? undefined : 'stale_timestamp'
}

/** `X-Shopify-Hmac-Sha256: <base64>` over the body. No time is signed: a repeat is recognised by its content. */
export const shopifySignature: VerifySignature = (secrets, { header, body }) => {
  const sent = header('x-shopify-hmac-sha256')
  if (!sent) return 'missing_signature'
  if (!/^[A-Za-z0-9+/]{43}=$/.test(sent.trim())) return 'malformed_signature'
  const expected = secrets.map((secret) => hmac(secret, body))
  return matches(expected, [Buffer.from(sent, 'base64')]) ? undefined : 'wrong_signature'
}

/** Standard Webhooks: `webhook-signature: v1,<base64> …` over `<webhook-id>.<webhook-timestamp>.<body>`. */
export const standardSignature: VerifySignature = (secrets, { header, body, now }) => {
  const [id, time, sent] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')]
  if (!id || !time || !sent) return 'missing_signature'
  const signatures = sent
    .split(' ')
    .filter((one) => /^v1,[A-Za-z0-9+/]{43}=$/.test(one))
    .slice(0, maxSignatures)
    .map((one) => Buffer.from(one.slice(3), 'base64'))
  if (signatures.length === 0) return 'malformed_signature'
  const expected = secrets.map((secret) => hmac(standardKey(secret), `${id}.${time}.`, body))
  if (!matches(expected, signatures)) return 'wrong_signature'
  return isFresh(time, now) ? undefined : 'stale_timestamp'
}

/** The key of a `whsec_` secret is what its base64 says. */
export const standardKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
