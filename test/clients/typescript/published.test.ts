import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLogger } from '../../../infra/logger.ts'
import { createApiKey } from '../../../postgres/stores/api-keys.ts'
import { topics } from '../../../schemas/topics.ts'
import { buildApi } from '../../../services/build-api.ts'
import { connectEngines } from '../../../services/engines.ts'
import { openWorld, type World } from '../../ingest/world.ts'
import { config } from '../../kafka.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchline-published-'))
const checkout = resolve(import.meta.dirname, '../../..')
const run = async (command: string, args: string[], cwd: string, env: Record<string, string> = {}) => {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } }).catch(
    (failed) => {
      throw new Error(`${command} ${args.join(' ')}: ${failed.stdout}${failed.stderr}`)
    },
  )
  return stdout
}

let world: World
let stop: () => Promise<void>
let scratch: { TOUCHLINE_URL: string; TOUCHLINE_KEY: string }
beforeAll(async () => {
  world = await openWorld()
  const logger = createLogger({ level: 'silent' })
  const engines = await connectEngines(config, logger)
  const api = await buildApi(config, logger, engines)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { key } = await createApiKey(world.pool, {
    profileId: world.profile,
    scopes: ['attribution:write', 'connections:read', 'connections:write'],
  })
  const { port } = api.app.server.address() as AddressInfo
  scratch = { TOUCHLINE_URL: `http://127.0.0.1:${port}`, TOUCHLINE_KEY: key }
  stop = async () => {
    await api.stop()
    await engines.close()
  }
})
afterAll(async () => {
  await stop?.()
  await world?.close()
  rmSync(folder, { recursive: true, force: true })
})

const program = `
import { createClient, TouchlineError, type EventInput } from '@touchline/client'

const client = createClient({ baseUrl: process.env.TOUCHLINE_URL!, apiKey: process.env.TOUCHLINE_KEY! })
const event: EventInput = {
  event_type: 'payment_received',
  idempotency_key: 'order-1',
  properties: { value: 12.5, currency: 'USD' },
  user_traits: { email: 'ana@example.com' },
  action_source: 'physical_store',
}
const id: string = await client.track(event)
const results = await client.trackAll([event, { event_type: 'lead_created' }, { event_name: '' }])
await client.api.createHook({ body: { provider: 'stripe' } })
await client.api.createHook({ body: { provider: 'shopify' } })
const hooks: string[] = (await client.api.listHooks()).data.map((hook) => hook.provider)
const deliveries: string[] = []
for await (const row of client.rows('listHookDeliveries', { query: { limit: 1 } })) deliveries.push(row.topic)
const refused = await client.api.listPayments({ query: { from: '2026-03-01', to: '2026-03-31' } }).catch((error: unknown) =>
  error instanceof TouchlineError ? error.code : 'something else')
// @ts-expect-error no such source
const wrong: EventInput = { action_source: 'fax' }
void wrong
console.log(JSON.stringify({ id, results: results.map((result) => result.status), hooks, deliveries, refused }))
`

it('is built, packed, installed without dependencies and used by a project of its own', {
  timeout: 180_000,
}, async () => {
  // Built in a copy, so that the checkout stays as it is.
  const source = join(folder, 'client')
  cpSync(join(checkout, 'clients/typescript'), source, { recursive: true })
  const tsc = join(checkout, 'node_modules/.bin/tsc')
  await run(tsc, ['-p', source], source)
  const [packed] = JSON.parse(await run('npm', ['pack', '--json'], source))
  const names = packed.files.map((file: { path: string }) => file.path)
  expect(names).toEqual(expect.arrayContaining(['package.json', 'dist/index.js', 'dist/index.d.ts']))
  expect(names.filter((name: string) => !/^(package\.json|README\.md|dist\/\w+\.(js|d\.ts))$/.test(name))).toEqual([])

  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'scratch', private: true, type: 'module' }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(source, packed.filename)], project)
  const { dependencies } = JSON.parse(
    readFileSync(join(project, 'node_modules/@touchline/client/package.json'), 'utf8'),
  )
  expect(dependencies).toBeUndefined()

  writeFileSync(join(project, 'main.ts'), program)
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom', '--types', 'node']
  const types = ['--typeRoots', join(checkout, 'node_modules/@types')]
  await run(tsc, [...options, ...types, '--skipLibCheck', 'main.ts'], project)
  const printed = JSON.parse(await run('node', ['main.js'], project, scratch))
  expect(printed).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    results: ['accepted', 'accepted', 'rejected'],
    hooks: ['stripe', 'shopify'],
    deliveries: [],
    refused: 'insufficient_scope',
  })
  const messages = await world.received(topics.events, 3)
  expect(messages.map(({ value }) => value.amount_minor)).toEqual(expect.arrayContaining([1_250, 1_250, null]))
})
