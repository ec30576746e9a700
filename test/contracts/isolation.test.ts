import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { accessTokens, sessionCookies, tokenKeys } from '../../http/app.ts'
import { type Config, loadConfig } from '../../infra/config.ts'
import { buildApi } from '../../services/build-api.ts'
import { connectEngines } from '../../services/engines.ts'
import { credentialsOf } from '../credentials.ts'
import { type OwnStack, ownStack } from '../e2e/own-stack.ts'
import { captureLog } from '../http/test-app.ts'
import {
  type Described,
  type Document,
  type Known,
  type Schema,
  sampleOf,
  type Target,
  targetsOf,
} from './isolation/description.ts'
import { type Harvest, harvest } from './isolation/harvest.ts'
import { openTenant, settle, type Tenant } from './isolation/tenant.ts'

/** Operations that name nothing of a profile, so that there is nothing of another's to reach; each with its reason. */
const outside: Record<string, string> = {
  signIn: 'takes an e-mail and a password, and names nothing else',
  signOut: 'ends the session that it comes with',
  changePassword: 'concerns the caller’s own password',
  acceptInvitation: 'is opened by the secret in an e-mail alone',
}

/** Tried by the second profile like all others, but the first cannot get through either; each with its reason. */
const unseeded: Record<string, string> = {
  setEntitlement: 'answers the app that provisioned the profile, and nobody provisioned these',
}

/** What takes persons, keys or the profile away comes last, and in this order. */
const destructive = [
  'eraseCustomer',
  'eraseCustomerInWorkspace',
  'readErasure',
  'revokeKey',
  'removeMember',
  'archiveProfile',
  'restoreProfile',
  'archiveProfile',
  'deleteProfile',
  'archiveWorkspace',
]

/** What is another at every read: a list of reads, the state of the whole deployment, what says how old it is. */
const changing = new Set(['listPiiAccessLog', 'readTrackingOps', 'readTrackingQuality', 'readTagManagerContainer'])

type Engines = Awaited<ReturnType<typeof connectEngines>>
interface Request {
  method: Target['method']
  url: string
  payload?: object
}
interface Party {
  tenant: Tenant
  found: Harvest
  headers(target: Target): Promise<Record<string, string>>
  /** After a call that ended its own credential. */
  forget(target: Target): void
}

let stack: OwnStack
let engines: Engines
let api: Awaited<ReturnType<typeof buildApi>>
let document: Document
let targets: Target[]
let mine: Party
let theirs: Party
/** Who calls, and whether the engines answer: looked up now and then, whatever the request names. */
const aboutTheCaller =
  /^SELECT 1$|live_generation|FROM (api_keys k|sessions|mcp_tokens|memberships|grants|apps)|last_(used|seen)_at = /
/** What the engines were asked, in order, since it was emptied. */
const asked: string[] = []

beforeAll(async () => {
  stack = await ownStack()
  const config: Config = loadConfig(stack.env)
  const tenants = [await openTenant(config, 3), await openTenant(config, 4)]
  await settle(config)
  engines = await connectEngines(config, captureLog().logger)
  watchEngines(engines)
  api = await buildApi(config, captureLog().logger, engines)
  document = (await api.app.inject({ url: '/api/v1/openapi.json' })).json()
  targets = targetsOf(document)
  const as = credentialsOf(engines.postgres, {
    tokens: accessTokens(tokenKeys(config.tokenKeys, config.secret)),
    cookies: sessionCookies(config),
  })
  const [first, second] = tenants.map((tenant): Party => {
    const held = new Map<string, Record<string, string>>()
    return {
      tenant,
      found: harvest(),
      async headers({ described }) {
        if (described['x-auth'].public) return {}
        const kind = kindFor(described)
        const make = { api_key: as.apiKey, session: as.session, app: as.appOn, mcp: as.mcp }[kind]
        if (!held.has(kind)) held.set(kind, await make(tenant.profileId))
        return { ...held.get(kind), 'idempotency-key': randomUUID() }
      },
      forget: ({ described }) => held.delete(kindFor(described)),
    }
  })
  mine = first!
  theirs = second!
  // A partner app and a second person in each.
  for (const { profileId } of tenants) await Promise.all([as.appOn(profileId), as.session(profileId, 'member')])
  await readEverything()
}, 600_000)
afterAll(async () => {
  await api?.stop()
  await engines?.close()
  await stack?.remove()
}, 60_000)

const kindFor = (described: Described) =>
  (['api_key', 'session', 'app', 'mcp'] as const).find((kind) => described['x-auth'].credentials.includes(kind))!

function watchEngines({ warehouse }: Engines) {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string }]
    const text = (typeof first === 'string' ? first : first.text) ?? ''
    if (!aboutTheCaller.test(text)) asked.push(text)
    return query.apply(this, args) as never
  })
  const run = warehouse.run.bind(warehouse)
  warehouse.run = (statement, params) => {
    asked.push(statement.name)
    return run(statement, params)
  }
}

const call = async (party: Party, target: Target, request: Request) => {
  const response = await api.app.inject({ ...request, headers: await party.headers(target) })
  return { status: response.statusCode, text: response.body }
}

/** The request that the description suggests, with what the party itself knows, changed where `overrides` says. */
function requestFor(target: Target, party: Party, overrides: Record<string, unknown> = {}): Request {
  const { tenant, found } = party
  const fixed: Record<string, unknown> = {
    date_from: tenant.dateFrom,
    date_to: tenant.dateTo,
    from: tenant.dateFrom,
    to: tenant.dateTo,
    workspaceId: tenant.workspaceId,
    profileId: tenant.profileId,
    profile_id: tenant.profileId,
    entity_ids: found.byName('campaign_id')[0],
    ...overrides,
  }
  const known: Known = (name) => fixed[name] ?? (isNaming(name) ? found.byName(name)[0] : undefined)
  const parameters = target.described.parameters ?? []
  const value = (name: string, schema: Schema) => encodeURIComponent(String(sampleOf(document, schema, known, name)))
  const path = target.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const own = fixed[name] ?? found.idsFor(target.path, name)[0] ?? randomUUID()
    return encodeURIComponent(String(own))
  })
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required || overrides[one.name] !== undefined))
    .map((one) => `${one.name}=${value(one.name, one.schema)}`)
  const body = target.described.requestBody?.content['application/json']?.schema
  return {
    method: target.method,
    url: `${path}${query.length ? `?${query.join('&')}` : ''}`,
    ...(body ? { payload: { ...(sampleOf(document, body, known) as object), ...inBody(body, overrides) } } : {}),
  }
}

/** Overrides of fields that a body may hold without needing them. */
function inBody(schema: Schema, overrides: Record<string, unknown>): object {
  const { properties = {} } = resolved(schema)
  return Object.fromEntries(Object.entries(overrides).filter(([name]) => properties[name]))
}

const order = ({ method }: Target) => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method)
const pathNames = ({ path }: Target) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
const isNaming = (name: string) => /(^|_)(id|ids|ref|key|email|phone)$|^cursor$/.test(name)

const resolved = (schema: Schema): Schema =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema

/** Fields of query and body, with their schemas. */
function fieldsOf(target: Target): [string, Schema][] {
  const query = (target.described.parameters ?? []).filter((one) => one.in === 'query')
  const body = target.described.requestBody?.content['application/json']?.schema
  const sent = Object.entries((body && resolved(body).properties) ?? {})
  return [...query.map(({ name, schema }): [string, Schema] => [name, schema]), ...sent]
}

/** The plain request, and one for each field that it leaves out. */
function variantsOf(target: Target, party: Party): Record<string, unknown>[] {
  const known: Known = (name) => party.found.byName(name)[0]
  return [
    {},
    ...fieldsOf(target).map(([name, schema]) => ({ [name]: sampleOf(document, schema, known, name) })),
    ...fieldsOf(target).flatMap(([name, { anyOf }]) =>
      anyOf?.some(({ type }) => type === 'null') ? [{ [name]: null }] : [],
    ),
  ]
}

/** A text of the same shape that names nothing. */
function unlike(text: string): string {
  if (/^[0-9a-f-]{36}$/i.test(text)) return randomUUID()
  if (text.includes('@')) return `${randomUUID().slice(0, 8)}@example.com`
  if (/^\+?\d{6,}$/.test(text)) return text.slice(0, -4) + String(1000 + Math.floor(Math.random() * 9000))
  return text.replace(/[a-z]/gi, 'q').replace(/\d/g, '7')
}

/** What is the same whichever id was asked for. */
const faceOf = ({ status, text }: { status: number; text: string }, sent?: string) =>
  `${status} ${(sent ? text.replaceAll(sent, '<sent>') : text)
    .replace(/"(request_id|token|secret|key)":"[^"]*"/g, '')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')}`

/** What only the first profile's answers hold. */
function canariesOf(party: Party, other: Party): string[] {
  const common = other.found.texts()
  const isTelling = (text: string) => /^[0-9a-f-]{36}$/.test(text) || text.includes('@') || text.startsWith('tl_')
  return [...party.found.texts()].filter((text) => !common.has(text) && isTelling(text))
}

/** The answers to two requests that should look alike, and what the engines were asked for each. */
async function sideBySide(target: Target, name: string, [foreign, unknown]: [string, string]) {
  const answers = []
  for (const text of [unknown, foreign]) {
    asked.length = 0
    const answer = await call(theirs, target, requestFor(target, theirs, { [name]: text }))
    answers.push({ face: faceOf(answer, text), asked: [...asked], text: answer.text })
  }
  return { unknown: answers[0]!, foreign: answers[1]! }
}

/** Every read of the profile, as it answers now. */
async function snapshot(party: Party): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for (const target of targets.filter(({ method, id }) => method === 'GET' && !changing.has(id) && !outside[id])) {
    const answer = await call(party, target, requestFor(target, party))
    seen[target.id] = faceOf(answer)
  }
  return seen
}

/** Reads all there is, twice, since some reads need what others show. */
async function readEverything() {
  for (const [round, party] of [mine, theirs, mine, theirs].entries()) {
    for (const target of targets.filter(({ method }) => method === 'GET')) {
      for (const overrides of [{}, ...(round < 2 ? choicesOf(target) : [])]) {
        const { status, text } = await call(party, target, requestFor(target, party, overrides))
        if (status === 200) party.found.take(target.path, JSON.parse(text).data, JSON.stringify(overrides))
      }
    }
  }
}

describe('a second profile', () => {
  it('is walked through every operation, and finds nothing of the first', async () => {
    const canaries = canariesOf(mine, theirs)
    expect(canaries.length).toBeGreaterThan(20)
    const before = await snapshot(mine)
    const own = new Set<string>()
    const leaks = (text: string, sent = '') =>
      canaries.filter((canary) => canary !== sent && !own.has(canary) && text.includes(canary))

    // What a caller writes itself it may read again, so reads come first.
    const readsFirst = targets.filter(({ id }) => !outside[id]).sort((a, b) => order(a) - order(b))
    for (const target of readsFirst) {
      if (target.method === 'GET') {
        const plain = await call(theirs, target, requestFor(target, theirs))
        expect(leaks(plain.text), target.id).toEqual([])
      }
      for (const { name, text } of attemptsOn(target)) {
        const where = `${target.id} with ${name} of another profile`
        const unlikely: [string, string] = [text, unlike(text)]
        if (target.method !== 'GET') own.add(text)
        let seen = await sideBySide(target, name, unlikely)
        expect(seen.foreign.face, where).toBe(seen.unknown.face)
        expect(leaks(seen.foreign.text, text), where).toEqual([])
        // Caches about the caller run out between two requests now and then: what differs always is the operation's.
        for (let again = 0; again < 3 && seen.foreign.asked.join() !== seen.unknown.asked.join(); again++) {
          seen = await sideBySide(target, name, unlikely)
        }
        expect(seen.foreign.asked, `${where}: what the engines are asked`).toEqual(seen.unknown.asked)
      }
    }

    expect(await snapshot(mine)).toEqual(before)
    const { rows } = await engines.postgres.query(
      'SELECT DISTINCT profile_id FROM pii_access_log WHERE workspace_id = $1',
      [mine.tenant.workspaceId],
    )
    expect(rows).toEqual([{ profile_id: mine.tenant.profileId }])
  }, 900_000)

  it('was tried with things that exist: the first profile itself gets through everywhere', async () => {
    const covered = targets.filter(({ id }) => !outside[id] && !unseeded[id])
    const open = new Set(covered.map(({ id }) => id))
    const last = new Map<string, string>()
    const tryOut = async (target: Target) => {
      const [name] = pathNames(target).filter((one) => !(one in ownIds()))
      const candidates = name ? mine.found.idsFor(target.path, name).slice(0, 24) : [undefined]
      for (const text of candidates) {
        const answer = await firstSuccess(target, text === undefined ? {} : { [name!]: text })
        if (answer.status !== 404) last.set(target.id, `${answer.status} ${answer.text.slice(0, 300)}`)
        if (answer.status >= 300) continue
        if (text !== undefined) {
          const other = unlike(text)
          const unknown = await call(mine, target, requestFor(target, mine, { [name!]: other }))
          if (faceOf(unknown, other) === faceOf(answer, text)) continue
        }
        mine.found.take(target.path, JSON.parse(answer.text).data)
        open.delete(target.id)
        return
      }
    }
    // Some need what others make: a refund to undo, say.
    const harmless = covered.filter(({ id }) => !destructive.includes(id)).sort((a, b) => order(a) - order(b))
    for (let round = 0; round < 3; round++) {
      for (const target of harmless) if (open.has(target.id)) await tryOut(target)
    }
    for (const id of destructive) for (const target of covered) if (target.id === id) await tryOut(target)
    // An operation listed here is new: give its parameters and body examples that work, or say why it is outside.
    expect([...open].map((id) => `${id}: ${last.get(id)}`)).toEqual([])
  }, 900_000)
})

/** With the least that the description asks for, else with one field more. */
async function firstSuccess(target: Target, named: Record<string, unknown>) {
  let answer = { status: 0, text: '' }
  for (const variant of variantsOf(target, mine)) {
    const ask = () => call(mine, target, requestFor(target, mine, { ...variant, ...named }))
    answer = await ask()
    // What was called before it may have ended the credential: what it names is not to blame.
    if (answer.status === 401) {
      mine.forget(target)
      answer = await ask()
    }
    if (answer.status < 300) break
  }
  return answer
}

/** Each value of each parameter that offers a choice. */
const choicesOf = (target: Target): Record<string, unknown>[] =>
  (target.described.parameters ?? [])
    .filter((one) => one.in === 'query')
    .flatMap(({ name, schema }) => (resolved(schema).enum ?? []).map((value) => ({ [name]: value })))

/** Where a request can name a thing, with things of the first profile. */
const attemptsOn = (target: Target): { name: string; text: string }[] => {
  // Apps belong to no profile: an owner may grant any whose id they know.
  const things = pathNames(target).filter((name) => name !== 'appId')
  const inPath = things.flatMap((name) =>
    (ownIds()[name] ? [ownIds()[name]!] : mine.found.idsFor(target.path, name)).map((text) => ({ name, text })),
  )
  const inFields = fieldsOf(target)
    .map(([name]) => name)
    .filter(isNaming)
    .flatMap((name) =>
      mine.found
        .byName(name)
        .slice(0, 2)
        .map((text) => ({ name, text })),
    )
  const common = theirs.found.texts()
  return [...inPath.slice(0, 24), ...inFields].filter(({ text }) => !common.has(text))
}

const ownIds = (): Record<string, string> => ({
  workspaceId: mine.tenant.workspaceId,
  profileId: mine.tenant.profileId,
})
