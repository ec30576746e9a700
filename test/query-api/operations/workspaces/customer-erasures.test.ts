import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openPeople, type People, type Profile } from '../customers/people.ts'

let people: People
let profile: Profile
let workspace: string

beforeAll(async () => {
  people = await openPeople()
})
beforeEach(async () => {
  profile = await people.profile()
  workspace = await workspaceOf(profile.id)
  await profile.knows({ external_customer_id: 'C-1', email: 'ana@example.com' })
})
afterAll(() => people.close())

const workspaceOf = async (id: string) =>
  (await people.pool.query('SELECT workspace_id FROM profiles WHERE id = $1', [id])).rows[0].workspace_id
const path = () => `/workspaces/${workspace}/customer-erasures`
const body = (more: object = {}) => ({ profile_id: profile.id, request_ref: 'r', customer_key: 'C-1', ...more })
const session = async (role: 'owner' | 'admin' | 'member', of = workspace) =>
  people.credentials.sessionOf(await people.credentials.user(role, of))

describe('an erasure from the console', () => {
  it.each(['owner', 'admin'] as const)('is for an %s of the workspace, with the receipt of the API', async (role) => {
    const first = await profile.post(path(), body(), await session(role))
    expect(first).toMatchObject({
      status: 202,
      body: { data: { request_ref: 'r', customer_key: 'C-1', status: 'queued' } },
    })
    expect(await profile.post(path(), body(), await session(role))).toMatchObject({
      status: 200,
      body: { data: first.body.data },
    })
    expect((await profile.get(`/customers/erasures/${first.body.data.erasure_id}`)).body.data).toEqual(first.body.data)
    expect((await profile.post('/customers/erasures', { request_ref: 'r2', customer_key: 'C-1' })).status).toBe(200)
  })

  it('is forbidden to a member', async () => {
    const answer = await profile.post(path(), body(), await session('member'))
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } })
    expect(await profile.count('erasures')).toBe(0)
  })

  it('is not found by people of another workspace, nor for a profile of another one', async () => {
    const other = await people.profile()
    const stranger = await session('owner', await workspaceOf(other.id))
    expect((await profile.post(path(), body(), stranger)).status).toBe(404)
    for (const profile_id of [other.id, randomUUID()]) {
      expect((await profile.post(path(), body({ profile_id }), await session('owner'))).status).toBe(404)
    }
    expect(await profile.count('erasures')).toBe(0)
  })

  it('is refused like over the API: 400 with the field, 404 for nobody', async () => {
    const owner = await session('owner')
    for (const [wrong, field] of [
      [{ profile_id: 'x' }, 'profile_id'],
      [{ profile_id: undefined }, 'profile_id'],
      [{ request_ref: '' }, 'request_ref'],
      [{ email: 'ana@example.com' }, 'email'],
      [{ reason: 'x' }, 'reason'],
    ] as const) {
      const answer = await profile.post(path(), body(wrong), owner)
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter', fields: [{ field }] } } })
    }
    expect((await profile.post(path(), body({ customer_key: 'nobody' }), owner)).body.error.code).toBe(
      'customer_not_found',
    )
  })

  it('is not for API keys, as the API is not for people', async () => {
    expect((await profile.post(path(), body())).body.error.code).toBe('forbidden')
    const request = { request_ref: 'r', customer_key: 'C-1' }
    for (const headers of [
      await people.credentials.session(profile.id),
      {
        ...(await people.credentials.mcpOf(await people.credentials.user('owner', workspace))),
        'x-profile-id': profile.id,
      },
    ]) {
      expect(await profile.post('/customers/erasures', request, headers)).toMatchObject({
        status: 403,
        body: { error: { code: 'api_key_required' } },
      })
    }
    expect(await profile.count('erasures')).toBe(0)
  })
})
