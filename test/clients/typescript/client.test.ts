import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient, TouchlineError, TouchlineUnreachable } from '../../../clients/typescript/src/index.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: { idempotency_key?: string; events?: { idempotency_key?: string }[] } | undefined
}

let server: Server | undefined
afterEach(() => server?.close())

/** An API that answers as told, one answer a request; the last one stays. */
async function answering(...answers: { status: number; body?: object; headers?: Record<string, string> }[]) {
  const seen: Seen[] = []
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    seen.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: text ? JSON.parse(text) : undefined,
    })
    const { status, body = {}, headers = {} } = answers[Math.min(seen.length, answers.length) - 1]!
    if (status === 0) response.destroy()
    else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, client: createClient({ baseUrl, apiKey: 'tl_live_secret', maxWaitMs: 3_000 }) }
}

const accepted = { status: 202, body: { data: { outcome_event_id: 'e-1' }, meta: {} } }
const away = { status: 503, body: { error: { code: 'service_unavailable' } }, headers: { 'retry-after': '0' } }

describe('track', () => {
  it('gives an event a key and keeps it over retries', async () => {
    const { seen, client } = await answering(away, { status: 0 }, accepted)
    expect(await client.track({ event_type: 'lead_created' })).toBe('e-1')
    expect(seen).toHaveLength(3)
    const keys = seen.map(({ body }) => body?.idempotency_key)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/events',
      headers: { authorization: 'Bearer tl_live_secret' },
    })
  })

  it('leaves a key that is there', async () => {
    const { seen, client } = await answering(accepted)
    await client.track({ event_type: 'payment_received', idempotency_key: 'order-1', properties: { value: 1 } })
    expect(seen[0]!.body!.idempotency_key).toBe('order-1')
  })

  it('sends many in requests of 500, and numbers their results through', async () => {
    const results = (count: number) => ({
      status: 202,
      body: { data: { results: Array.from({ length: count }, (_, index) => ({ index, status: 'accepted' })) } },
    })
    const { seen, client } = await answering(results(500), results(1))
    const answer = await client.trackAll(Array.from({ length: 501 }, () => ({ event_type: 'lead_created' })))
    expect(seen.map(({ body }) => body?.events?.length)).toEqual([500, 1])
    expect(answer.map(({ index }) => index)).toEqual(Array.from({ length: 501 }, (_, index) => index))
    expect(seen[0]!.body!.events!.every(({ idempotency_key }) => idempotency_key)).toBe(true)
  })

  it('tells what was recorded when a later request fails, and what is left with the keys it was sent with', async () => {
    const first = { status: 202, body: { data: { results: [{ index: 0, status: 'accepted' }] } } }
    const { seen, client } = await answering(
      first,
      { status: 413, body: { error: { code: 'payload_too_large' } } },
      first,
    )
    const events = Array.from({ length: 600 }, (_, n) => ({ event_type: `lead_${n}` }))
    const failed = (await client.trackAll(events).catch((thrown: unknown) => thrown)) as TouchlineError
    expect(failed).toMatchObject({ code: 'payload_too_large', unfinished: { results: first.body.data.results } })
    const { unsent } = failed.unfinished!
    expect(unsent.map(({ event_type }) => event_type)).toEqual(events.slice(500).map(({ event_type }) => event_type))
    await client.trackAll(unsent)
    expect(seen[2]!.body).toEqual(seen[1]!.body)
    // Events tell of persons, and errors are logged.
    expect(inspect(failed) + JSON.stringify(failed)).not.toContain('lead_599')
  })
})

describe('a call', () => {
  it('fills the path, leaves out what is undefined and repeats lists', async () => {
    const { seen, client } = await answering({ status: 200, body: { data: [] } })
    await client.api.readPayment({ path: { payment_id: 'a/b?c' } })
    await client.api.listPayments({ query: { from: '2026-03-01', to: '2026-03-31', limit: 5 } })
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/v1/payments/a%2Fb%3Fc',
      '/api/v1/payments?from=2026-03-01&to=2026-03-31&limit=5',
    ])
  })

  it.each(['', '.', '..', undefined, null])('sends nothing where a value of the path is %j', async (id) => {
    const { seen, client } = await answering({ status: 200 })
    const failed = await client.api.revokeTrackingKey({ path: { id: id as never } }).catch((thrown: unknown) => thrown)
    expect(failed).toBeInstanceOf(TypeError)
    expect(failed).toMatchObject({ message: 'path.id must not be empty, "." or "..".' })
    expect(seen).toEqual([])
  })

  it('takes dots that are part of a value', async () => {
    const { seen, client } = await answering({ status: 200, body: { data: {} } })
    await client.api.readPayment({ path: { payment_id: '...' } })
    await client.api.readPayment({ path: { payment_id: '%2e%2e' } })
    expect(seen.map(({ url }) => url)).toEqual(['/api/v1/payments/...', '/api/v1/payments/%252e%252e'])
  })

  it.each(['', 'not a url', 'localhost:8080', 'ftp://touchline.example', 'https://me:secret@touchline.example'])(
    'fails at once with the base %j',
    async (baseUrl) => {
      const fetching = vi.fn<typeof fetch>()
      const call = createClient({ baseUrl, apiKey: 'k', fetch: fetching }).track({ event_type: 'x' })
      await expect(call).rejects.toThrow(new TypeError(`baseUrl must be an address such as https://touchline.example.`))
      expect(fetching).not.toHaveBeenCalled()
    },
  )

  it.each([
    ['a body', { body: { event_type: 'x', properties: { value: 10n as never } } }, /BigInt/],
    ['a key', { body: { event_type: 'x' }, idempotencyKey: 'żółw' }, /ByteString/],
  ])('fails at once with the reason for which %s cannot be sent', async (_what, input, reason) => {
    const { seen, client } = await answering(accepted)
    const failed = await client.api.postEvent(input).catch((thrown: unknown) => thrown)
    expect(failed).toBeInstanceOf(TypeError)
    expect((failed as Error).message).toMatch(reason)
    expect(seen).toEqual([])
  })

  it('names a request that takes an Idempotency-Key, with the caller’s name or one of its own', async () => {
    const { seen, client } = await answering(away, { status: 201, body: { data: {} } })
    await client.api.createWorkspace({ body: { name: 'x' } as never })
    await client.api.createWorkspace({ body: { name: 'x' } as never, idempotencyKey: 'mine' })
    const keys = seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys[0]).toBeTruthy()
    expect(keys).toEqual([keys[0], keys[0], 'mine'])
  })

  it('names a request of events with the caller’s key, and makes none up for the events in it', async () => {
    const { seen, client } = await answering(away, accepted)
    const lead = { event_type: 'lead_created' }
    await client.api.postEvent({ body: lead, idempotencyKey: 'job-17' })
    await client.api.postEvents({ body: { events: [lead] }, idempotencyKey: 'job-18' })
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['job-17', 'job-17', 'job-18'])
    expect(seen.map(({ body }) => body)).toEqual([lead, lead, { events: [lead] }])
    await client.track(lead)
    expect(seen[3]!.headers).not.toHaveProperty('idempotency-key')
  })

  it('throws a refusal with its code, and never the key', async () => {
    const error = { code: 'status_invalid', message: 'no', request_id: 'r-1', docs_url: 'https://d', fields: [1] }
    const { seen, client } = await answering({ status: 422, body: { error } })
    const failed = await client.api.listPayments({ query: { from: 'a', to: 'b' } }).catch((thrown: unknown) => thrown)
    expect(failed).toBeInstanceOf(TouchlineError)
    expect(failed).toMatchObject({ code: 'status_invalid', status: 422, requestId: 'r-1', details: { fields: [1] } })
    expect(JSON.stringify(failed)).not.toContain('tl_live_secret')
    expect(seen).toHaveLength(1)
  })

  it('gives up when nobody answers, or when its caller does', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', maxRetries: 1 })
    await expect(client.track({ event_type: 'x' })).rejects.toBeInstanceOf(TouchlineUnreachable)
    const gone = AbortSignal.abort(new Error('enough'))
    await expect(client.api.listHooks({ signal: gone })).rejects.toThrow('enough')
  })
})

it('rows go on from page to page until there is no next one', async () => {
  const page = (ids: string[], cursor: string | null) => ({
    status: 200,
    body: { data: ids.map((payment_id) => ({ payment_id })), pagination: { has_next: cursor !== null, cursor } },
  })
  const { seen, client } = await answering(page(['a', 'b'], 'next'), page([], 'last'), page(['c'], null))
  const found: string[] = []
  for await (const row of client.rows('listPayments', { query: { from: '2026-03-01', to: '2026-03-31' } })) {
    found.push(row.payment_id)
  }
  expect(found).toEqual(['a', 'b', 'c'])
  expect(seen.map(({ url }) => new URL(url, 'http://x').searchParams.get('cursor'))).toEqual([null, 'next', 'last'])
})
