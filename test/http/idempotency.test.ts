import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, defineOperation, one } from '../../http/operation.ts'
import { mount } from '../../http/routes.ts'
import { createApiKey } from '../../postgres/stores/api-keys.ts'
import { createApp } from '../../postgres/stores/apps.ts'
import { deleteExpiredKeys } from '../../postgres/stores/idempotency-keys.ts'
import { createProfile, openPostgres } from '../profiles.ts'
import { mintOnce } from './crashing-app.ts'
import { sampleApp } from './test-app.ts'

interface Deps {
  /** Called inside the handler, after its effect. */
  during: (execution: { id: string }) => Promise<unknown> | unknown
}
const operation = defineOperation<Deps>()
const rest = {
  tags: ['Keys'],
  body: z.object({ note: z.string().max(20), nested: z.unknown().optional() }),
  status: 201,
} as const

const mintKey = operation({
  ...rest,
  scopes: ['profiles:write'],
  idempotency: 'header',
  id: 'mintKey',
  method: 'POST',
  url: '/minted',
  summary: 'Mint a key',
  response: one(z.object({ key: z.string(), execution_id: z.string() })),
  handler: async ({ profile, execution, during, reply }) => {
    const tx = await execution.transaction()
    const { key } = await createApiKey(tx, { profileId: profile.id, scopes: ['analytics:read'] })
    await during(execution)
    reply.header('location', '/api/v1/minted/1')
    return { key, execution_id: execution.id }
  },
})

const callOutside = operation({
  ...rest,
  scopes: ['profiles:write'],
  idempotency: 'header',
  id: 'callOutside',
  method: 'POST',
  url: '/outside/:id',
  summary: 'Has its effect elsewhere',
  params: z.object({ id: z.string() }),
  response: one(z.object({ done: z.boolean() })),
  handler: async ({ execution, during }) => {
    await during(execution)
    return { done: true }
  },
})

let pool: pg.Pool
let profileId: string
let headers: Record<string, string>
let during: Deps['during']
const apps: FastifyInstance[] = []
const deps: Deps = { during: (execution) => during(execution) }

beforeAll(async () => {
  pool = await openPostgres()
  for (const _instance of ['one', 'two']) {
    apps.push(await sampleApp(pool, { mounts: [mount([mintKey, callOutside], deps, ['postgres'])] }))
  }
})
beforeEach(async () => {
  during = () => {}
  profileId = await createProfile(pool)
  const { key } = await createApiKey(pool, { profileId, scopes: ['profiles:write'], rateLimitPerMinute: 10_000 })
  headers = { authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() }
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  await pool.end()
})

const post = (more: Record<string, string> = {}, { note = 'a', url = '/minted', instance = 0 } = {}) =>
  apps[instance]!.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    headers: { ...headers, ...more },
    payload: { note },
  })
const effects = async () =>
  (await pool.query('SELECT 1 FROM api_keys WHERE profile_id = $1 AND scopes = $2', [profileId, ['analytics:read']]))
    .rowCount
const rows = async () =>
  (await pool.query<{ answer: Buffer }>('SELECT answer FROM idempotency_keys WHERE profile_id = $1', [profileId])).rows

describe('a request with an Idempotency-Key', () => {
  it('is answered as the first one was, and happens once', async () => {
    const first = await post()
    expect(first.statusCode).toBe(201)
    expect(first.headers['idempotent-replay']).toBeUndefined()
    const again = await post({}, { instance: 1 })
    expect(again.statusCode).toBe(201)
    expect(again.json()).toEqual(first.json())
    expect(again.headers).toMatchObject({ 'idempotent-replay': 'true', location: '/api/v1/minted/1' })
    expect(await effects()).toBe(1)
  })

  it('happens once when fifty of it come at once, to two instances', async () => {
    during = () => new Promise((resolve) => setTimeout(resolve, 50))
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => post({}, { instance: n % 2 })))
    const codes = answers.map((answer) => (answer.statusCode === 201 ? 'done' : answer.json().error.code))
    expect(new Set(codes)).toEqual(new Set(['done', 'idempotency_key_in_flight']))
    const keys = answers.filter(({ statusCode }) => statusCode === 201).map((answer) => answer.json().data.key)
    expect(new Set(keys).size).toBe(1)
    expect(await effects()).toBe(1)
    const refused = answers.find((answer) => answer.statusCode === 409)!
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await post()).json().data.key).toBe(keys[0])
  })

  it('is the same request whatever the order of its fields', async () => {
    const send = (payload: string) =>
      apps[0]!.inject({
        method: 'POST',
        url: '/api/v1/minted',
        headers: { ...headers, 'content-type': 'application/json' },
        payload,
      })
    const first = await send('{"note":"a","nested":{"x":1,"y":[{"b":1,"a":2}]}}')
    const second = await send('{ "nested": {"y": [{"a":2,"b":1}], "x": 1.0}, "note": "a" }')
    expect(second.json()).toEqual(first.json())
    expect((await send('{"note":"a","nested":{"x":1,"y":[]}}')).json().error.code).toBe('idempotency_key_conflict')
  })

  it('is refused for another body, another operation and another path, finished or not', async () => {
    const code = async (answer: ReturnType<typeof post>) => (await answer).json().error?.code
    const inside: (string | undefined)[] = []
    during = async () => {
      inside.push(await code(post({}, { note: 'b' })), await code(post({}, { instance: 1 })))
    }
    await post()
    expect(inside).toEqual(['idempotency_key_conflict', 'idempotency_key_in_flight'])
    expect(await code(post({}, { note: 'b' }))).toBe('idempotency_key_conflict')
    expect(await code(post({}, { url: '/outside/1' }))).toBe('idempotency_key_conflict')
    during = () => {}
    headers['idempotency-key'] = randomUUID()
    expect((await post({}, { url: '/outside/1' })).statusCode).toBe(201)
    expect(await code(post({}, { url: '/outside/2' }))).toBe('idempotency_key_conflict')
  })

  it('is another request, with effects of its own, once its key is forgotten', async () => {
    const executionOf = async (note: string) => (await post({}, { note })).json().data.execution_id
    const first = await executionOf('a')
    await pool.query('DELETE FROM idempotency_keys WHERE profile_id = $1', [profileId])
    expect(await executionOf('b')).not.toBe(first)
    await pool.query('DELETE FROM idempotency_keys WHERE profile_id = $1', [profileId])
    expect(await executionOf('a')).toBe(first)
  })

  it('is refused where its body is nested too deeply to be compared', async () => {
    const nested = `${'['.repeat(25_000)}${']'.repeat(25_000)}`
    const answer = await apps[0]!.inject({
      method: 'POST',
      url: '/api/v1/minted',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: `{"note":"a","nested":${nested}}`,
    })
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'invalid_request'])
  })

  it('belongs to its caller: the same text of another profile or another key is another request', async () => {
    const mine = await post()
    const other = await createProfile(pool)
    const { key } = await createApiKey(pool, { profileId: other, scopes: ['profiles:write'] })
    const theirs = await post({ authorization: `Bearer ${key}` }, { note: 'b' })
    expect(theirs.statusCode).toBe(201)
    expect(theirs.json().data.key).not.toBe(mine.json().data.key)
    const { key: second } = await createApiKey(pool, { profileId, scopes: ['profiles:write'] })
    expect((await post({ authorization: `Bearer ${second}` })).json().data.key).not.toBe(mine.json().data.key)
  })

  it('of an app is found under its next key as well', async () => {
    const { appId } = await createApp(pool, { name: 'app', tier: 'standard', redirectUris: [], returnOrigins: [] })
    const mint = async () => {
      const { key } = await createApiKey(pool, { profileId, appId, scopes: ['profiles:write'] })
      return { authorization: `Bearer ${key}` }
    }
    const first = await post(await mint())
    expect((await post(await mint())).json()).toEqual(first.json())
  })
})

describe('what goes wrong', () => {
  it('leaves neither effect nor answer after a failure of ours, so that the next attempt runs', async () => {
    during = () => Promise.reject(new Error('unexpected'))
    expect((await post()).statusCode).toBe(500)
    expect(await effects()).toBe(0)
    expect(await rows()).toEqual([])
    during = () => {}
    expect((await post()).statusCode).toBe(201)
    expect(await effects()).toBe(1)
  })

  it('keeps a refusal that will not change, without the effect that came before it', async () => {
    during = () => {
      throw new ApiError('invalid_state', 'Not now.')
    }
    const first = await post()
    expect(first.json().error).toMatchObject({ code: 'invalid_state', message: 'Not now.' })
    during = () => {}
    const again = await post()
    expect(again.statusCode).toBe(409)
    expect(again.json()).toEqual(first.json())
    expect(again.headers['idempotent-replay']).toBe('true')
    expect(await effects()).toBe(0)
  })

  it('keeps no refusal that a later attempt may not meet', async () => {
    during = () => {
      throw new ApiError('rate_limit_exceeded', undefined, { retry_after: 3 })
    }
    expect((await post()).statusCode).toBe(429)
    during = () => {}
    expect((await post()).statusCode).toBe(201)
  })

  it('takes over after a crash, once the lease has run out, with the same id for the outside', async () => {
    const seen: string[] = []
    // The process dies while the outside is being called: nothing is committed, and nobody gives the key back.
    during = ({ id }) => {
      seen.push(id)
      return new Promise(() => {})
    }
    void post({}, { url: '/outside/1' })
    await expect.poll(() => seen).toHaveLength(1)
    expect((await post({}, { url: '/outside/1' })).json().error.code).toBe('idempotency_key_in_flight')
    await pool.query('UPDATE idempotency_keys SET leased_until = now() WHERE profile_id = $1', [profileId])
    during = ({ id }) => seen.push(id)
    expect((await post({}, { url: '/outside/1', instance: 1 })).statusCode).toBe(201)
    expect(seen[1]).toBe(seen[0])
  })

  it('lets an attempt that was overtaken commit nothing', async () => {
    let overtaken: Awaited<ReturnType<typeof post>> | undefined
    during = async () => {
      if (overtaken) return
      overtaken = {} as never
      await pool.query('UPDATE idempotency_keys SET leased_until = now() WHERE profile_id = $1', [profileId])
      overtaken = await post({}, { instance: 1 })
    }
    const slow = await post()
    expect(slow.json().error.code).toBe('idempotency_key_in_flight')
    expect(overtaken!.statusCode).toBe(201)
    expect(await effects()).toBe(1)
    expect((await post()).json()).toEqual(overtaken!.json())
  })

  it('answers after a crash between effect and answer what would have been answered', async () => {
    const file = join(import.meta.dirname, 'crashing-app.ts')
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const [address] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const request = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ note: 'a' }),
    } as const
    await expect(fetch(`${address.trim()}/api/v1/minted-once`, request)).rejects.toThrow()
    expect(await exited).toEqual([null, 'SIGKILL'])
    expect(await effects()).toBe(1)
    const survivor = await sampleApp(pool, { mounts: [mount([mintOnce], {}, [])] })
    const again = await survivor.inject({ url: '/api/v1/minted-once', ...request })
    expect(again.statusCode).toBe(201)
    expect(again.headers['idempotent-replay']).toBe('true')
    expect(await effects()).toBe(1)
    await survivor.close()
  })
})

describe('the header', () => {
  it('is required, and must be 1 to 255 printable characters; nothing is written otherwise', async () => {
    const { 'idempotency-key': _key, ...without } = headers
    headers = without
    const missing = await post()
    expect(missing.json().error).toMatchObject({ code: 'invalid_request', reason: 'idempotency_key_required' })
    expect(missing.json().error.message).toContain('Idempotency-Key')
    for (const key of ['x'.repeat(256), 'x'.repeat(10_240), 'tab\there', 'señal']) {
      const answer = await post({ 'idempotency-key': key })
      expect(answer.json().error, key.slice(0, 20)).toMatchObject({ code: 'invalid_request', status: 400 })
    }
    expect(await effects()).toBe(0)
    expect(await rows()).toEqual([])
    expect((await post({ 'idempotency-key': 'x'.repeat(255) })).statusCode).toBe(201)
  })

  it('is not used up by a body that fails its check', async () => {
    expect((await post({}, { note: 'x'.repeat(21) })).statusCode).toBe(422)
    expect(await rows()).toEqual([])
    expect((await post()).statusCode).toBe(201)
  })
})

describe('what is kept', () => {
  it('is sealed: neither the minted secret nor the caller’s key is in the table', async () => {
    headers['idempotency-key'] = 'ana@example.com'
    const { data } = (await post()).json()
    const { rows: found } = await pool.query('SELECT k::text AS text, answer FROM idempotency_keys k')
    for (const { text, answer } of found as { text: string; answer: Buffer | null }[]) {
      expect(text).not.toContain('ana@example.com')
      expect(answer?.includes(data.key) ?? false).toBe(false)
    }
  })

  it('is forgotten after 24 hours, in bounded steps', async () => {
    const first = await post()
    headers['idempotency-key'] = randomUUID()
    await post()
    const age = "UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE profile_id = $1"
    await pool.query(age, [profileId])
    const next = await post()
    expect(next.json().data.key).not.toBe(first.json().data.key)
    await pool.query(age, [profileId])
    expect(await deleteExpiredKeys(pool, 1)).toBe(1)
    while ((await deleteExpiredKeys(pool, 1)) > 0);
    expect(await rows()).toEqual([])
  })
})
