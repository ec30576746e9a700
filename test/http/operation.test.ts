import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineOperation, one } from '../../http/operation.ts'
import { mount } from '../../http/routes.ts'
import { openPostgres } from '../profiles.ts'
import { sampleApp, sampleOperations } from './test-app.ts'

const operation = defineOperation<object>()
const rest = {
  id: 'openToAll',
  method: 'GET',
  url: '/open',
  summary: 'Open',
  tags: ['Open'],
  response: one(z.object({ is_open: z.boolean() })),
} as const

it('refuses an operation without a scope, to the compiler and at run time', () => {
  // @ts-expect-error neither scopes nor public
  expect(() => operation({ ...rest, handler: () => ({ is_open: true }) })).toThrow('openToAll needs a scope')
  // @ts-expect-error an empty list is no scope
  expect(() => operation({ ...rest, scopes: [], handler: () => ({ is_open: true }) })).toThrow('needs a scope')
  // @ts-expect-error no such scope exists
  operation({ ...rest, scopes: ['everything:read'], handler: () => ({ is_open: true }) })
})

it('refuses data of another shape than the response, to the compiler', () => {
  // @ts-expect-error is_open must be a boolean
  operation({ ...rest, scopes: ['analytics:read'], handler: () => ({ is_open: 'yes' }) })
})

it('refuses at registration what slipped past the declaration', async () => {
  const pool = await openPostgres()
  const unscoped = { ...sampleOperations[0]!, id: 'unscoped', url: '/unscoped', scopes: [] }
  const fail = () => Promise.reject(new Error('unused'))
  await expect(sampleApp(pool, { mounts: [mount([unscoped], { fail }, [])] })).rejects.toThrow('unscoped needs a scope')
  const twice = [sampleOperations[0]!, sampleOperations[0]!]
  await expect(sampleApp(pool, { mounts: [mount(twice, { fail }, [])] })).rejects.toThrow('Two operations')
  await pool.end()
})

it('serves a public operation without a credential and without a profile', async () => {
  const pool = await openPostgres()
  const open = operation({ ...rest, public: true, handler: () => ({ is_open: true }) })
  const app = await sampleApp(pool, { mounts: [mount([open], {}, [])] })
  expect((await app.inject({ url: '/api/v1/open' })).json()).toEqual({ data: { is_open: true }, meta: {} })
  await app.close()
  await pool.end()
})
