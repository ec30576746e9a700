import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient } from '@clickhouse/client'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Admin, connectAdmin } from '../../infra/kafka/admin.ts'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { type Stack, startStack } from '../../infra/local/stack.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { liveGeneration } from '../../postgres/stores/warehouse.ts'
import { topics } from '../../schemas/topics.ts'

/** A stack of its own: a replay makes another database the live one. */
const env = { PATH: process.env.PATH, HOME: process.env.HOME, JAVA_HOME: process.env.JAVA_HOME, LOG_LEVEL: 'warn' }
const folder = mkdtempSync(join(tmpdir(), 'touchline-replay-'))
let stack: Stack
let postgres: pg.Pool
let admin: Admin
let profile: string
let key: string

const touchline = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)('bin/touchline', args, { env: { ...stack.env } })
  return stdout
}
const json = async (...args: string[]) => JSON.parse(await touchline(...args, '--json'))
const database = async () => `touchline_g${await liveGeneration(postgres)}`

async function rows(db: string, sql: string): Promise<string[]> {
  const client = createClient({ url: stack.endpoints.clickhouse_url, database: db })
  const text = await (await client.query({ query: sql, format: 'JSONEachRow' })).text()
  await client.close()
  return text.split('\n').filter(Boolean)
}
async function execute(sql: string) {
  const client = createClient({ url: stack.endpoints.clickhouse_url, database: await database() })
  await client.command({ query: sql, clickhouse_settings: { mutations_sync: '2' } })
  await client.close()
}

const facts = ['hits', 'outcomes', 'ad_delivery', 'ad_entities', 'conversion_definitions', 'profiles', 'fx_rates']
const derived = ['touches', 'credits', 'report_credits', 'goal_conversions', 'identity_map', 'payment_actions']

/** Everything that figures are made of: facts to the version, what is derived to the last column but that. */
async function everything(db: string) {
  const found: Record<string, string[]> = {}
  for (const table of facts) found[table] = await rows(db, `SELECT * FROM ${table} FINAL ORDER BY ALL`)
  for (const table of derived)
    found[table] = await rows(db, `SELECT * EXCEPT (version) FROM ${table} FINAL ORDER BY ALL`)
  return found
}

/** Only the rows that differ are shown when it fails: the tables are long. */
function expectSame(after: Record<string, string[]>, before: Record<string, string[]>) {
  const missing = (rows: string[], among: string[]) => {
    const known = new Set(among)
    return rows.filter((row) => !known.has(row)).slice(0, 3)
  }
  for (const [table, rows] of Object.entries(before)) {
    const found = after[table]!
    expect({ table, gone: missing(rows, found), added: missing(found, rows), rows: found.length }).toEqual({
      table,
      gone: [],
      added: [],
      rows: rows.length,
    })
  }
}

async function api(path: string) {
  const answer = await fetch(`${stack.endpoints.base_url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return (await answer.json()) as { data: never }
}
const reports = () =>
  Promise.all(
    ['last_touch', 'linear', 'time_decay'].map((model) =>
      api(`/campaigns?date_from=2026-01-01&date_to=2026-12-31&limit=100&model=${model}`),
    ),
  )
const ends = async () =>
  Object.fromEntries(
    [...(await admin.endOffsets(Object.values(topics).map(({ name }) => name)))].map(([name, partitions]) => [
      name,
      [...partitions.values()].reduce((sum, end) => sum + end, 0n),
    ]),
  )

function startReplay(...args: string[]) {
  const child = spawn('bin/touchline', ['replay', '--yes', ...args], { env: { ...stack.env } })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  child.stderr.on('data', (data) => {
    output += data
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  return { child, ended, output: () => output }
}

const replayRows = async () =>
  (
    await postgres.query<{ id: string; status: string; phase: string; generation: number }>(
      'SELECT id, status, phase, generation FROM replays ORDER BY started_at DESC',
    )
  ).rows

beforeAll(async () => {
  stack = await startStack({ home: join(folder, 'home'), port: 0, services: true, env, report: () => {} })
  postgres = connectPostgres(stack.endpoints.database_url)
  admin = connectAdmin({ brokers: stack.endpoints.kafka_brokers.split(',') })
  await touchline('demo', '--once', '--visitors', '100')
  const { rows: profiles } = await postgres.query<{ id: string }>('SELECT id FROM profiles')
  profile = profiles[0]!.id
  const scopes = 'campaigns:read,analytics:read,attribution:write'
  key = (await json('keys', 'create', '--profile', profile, '--scopes', scopes, '--rate-limit', '100000')).key
  await json('drain')
}, 300_000)
afterAll(async () => {
  await admin?.close()
  await postgres?.end()
  await stack?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

describe('a full replay', { timeout: 240_000 }, () => {
  it('ends in the same rows and figures, tells each profile once and nobody else', async () => {
    expect((await api('/tracking/replay-status')).data).toBeNull()
    const [before, figures, sent] = [await everything(await database()), await reports(), await ends()]
    expect(before.credits!.length).toBeGreaterThan(30)
    const generation = await liveGeneration(postgres)

    expect(await json('replay', '--yes')).toMatchObject({ kind: 'full', generation: generation + 1 })

    expect(await liveGeneration(postgres)).toBe(generation + 1)
    expectSame(await everything(await database()), before)
    expect(await reports()).toEqual(figures)
    expect(await ends()).toEqual(sent)
    expect((await postgres.query('SELECT FROM outbox')).rowCount).toBe(0)
    const { rows: told } = await postgres.query('SELECT type FROM lifecycle_events WHERE profile_id = $1', [profile])
    expect(told).toEqual([{ type: 'recompute.completed' }])
    expect((await api('/tracking/replay-status')).data).toMatchObject({
      kind: 'full',
      status: 'completed',
      from: null,
      progress_percent: 100,
    })
  })

  it('loses nothing of the traffic that goes on meanwhile, and refuses a second one beside it', async () => {
    const traffic = startTraffic()
    try {
      await vi.waitUntil(() => traffic.sales() > 20, { timeout: 30_000 })
      const replay = startReplay()
      await vi.waitUntil(async () => (await replayRows())[0]?.status === 'running', { timeout: 20_000 })
      const second = startReplay()
      expect(await second.ended, replay.output()).toBe(1)
      expect(second.output()).toContain('another replay is running')
      expect(await replay.ended, replay.output()).toBe(0)
    } finally {
      await traffic.stop()
    }
    await json('drain')
    const live = await database()
    const mine = `profile_id = '${profile}' AND event_name = 'traffic'`
    expect(await rows(live, `SELECT count() AS n FROM outcomes FINAL WHERE ${mine}`)).toEqual([
      JSON.stringify({ n: traffic.sales() }),
    ])
    // Each person's visit and sale met, whichever generation each was first written to.
    expect(
      await rows(
        live,
        `SELECT count() AS n FROM credits FINAL WHERE length(touch_ids) = 1 AND outcome_id IN (
           SELECT outcome_id FROM outcomes FINAL WHERE ${mine})`,
      ),
    ).toEqual([JSON.stringify({ n: traffic.sales() })])
  })

  it('goes on after kills in the middle, with the same generation, and ends in the rows that live traffic made', async () => {
    const before = await everything(await database())
    const generation = await liveGeneration(postgres)
    for (const phase of ['deriving', 'settling']) {
      const replay = startReplay()
      await vi.waitUntil(async () => (await replayRows())[0]?.phase === phase, { timeout: 60_000, interval: 10 })
      // `bin/touchline` becomes the Node process it starts, so this is the replay itself.
      replay.child.kill('SIGKILL')
      await replay.ended
      expect((await replayRows())[0]).toMatchObject({ generation: generation + 1 })
    }
    expect(await json('replay', '--yes')).toMatchObject({ generation: generation + 1 })
    expectSame(await everything(await database()), before)
    expect((await replayRows())[0]).toMatchObject({ status: 'completed' })
  })

  it('is stopped by Ctrl-C and given up on demand, which leaves everything as it was', async () => {
    const before = await database()
    const replay = startReplay()
    await vi.waitUntil(async () => (await replayRows())[0]?.phase === 'reading', { timeout: 60_000, interval: 10 })
    replay.child.kill('SIGINT')
    expect(await replay.ended).toBe(130)
    expect(replay.output()).toContain('the same command goes on where it was')
    await expect(touchline('replay', '--yes', '--profile', profile)).rejects.toMatchObject({
      stderr: expect.stringContaining('--abandon'),
    })
    await json('replay', '--abandon')
    expect(await database()).toBe(before)
    expect((await replayRows())[0]).toMatchObject({ status: 'failed' })
  })
})

describe('damage in the warehouse', { timeout: 240_000 }, () => {
  it('shows in a dry run, which changes nothing, and is mended in place by a partial replay', async () => {
    const live = await database()
    const [before, figures] = [await everything(live), await reports()]
    for (const table of ['hits', 'outcomes', 'touches', 'identity_map']) {
      await execute(`ALTER TABLE ${table} DELETE WHERE profile_id = '${profile}' AND cityHash64(subject_id) % 2 = 0`)
    }
    for (const table of ['credits', 'report_credits']) {
      await execute(`ALTER TABLE ${table} DELETE WHERE profile_id = '${profile}' AND cityHash64(conversion_id) % 3 = 0`)
    }
    // A row that nothing leads to, and one that says something else than what it is derived from.
    await execute(`INSERT INTO report_credits SELECT * REPLACE (generateUUIDv4() AS conversion_id)
      FROM report_credits FINAL WHERE profile_id = '${profile}' LIMIT 1`)
    await execute(`INSERT INTO report_credits SELECT * REPLACE (net_minor + 1 AS net_minor, version + 1 AS version)
      FROM report_credits FINAL WHERE profile_id = '${profile}' LIMIT 5`)
    const damaged = await everything(live)
    expect(damaged.report_credits).not.toEqual(before.report_credits)

    const dry = await json('replay', '--dry-run', '--yes', '--profile', profile)
    expect(dry.moved.length).toBeGreaterThan(0)
    expectSame(await everything(live), damaged)
    expect(await database()).toBe(live)

    expect(await json('replay', '--yes', '--profile', profile)).toMatchObject({ kind: 'partial' })
    expect(await database()).toBe(live)
    expectSame(await everything(live), before)
    expect(await reports()).toEqual(figures)
  })

  it('of the last days is mended by reading no further back', async () => {
    const from = new Date()
    const traffic = startTraffic()
    await vi.waitUntil(() => traffic.sales() > 10, { timeout: 30_000 }).finally(traffic.stop)
    await json('drain')
    const live = await database()
    const before = await everything(live)
    await execute(`ALTER TABLE outcomes DELETE WHERE received_at >= toDateTime64(${from.getTime() / 1000}, 3, 'UTC')`)
    const all = Object.values(await ends()).reduce((sum, end) => sum + end, 0n)
    const replay = await json('replay', '--yes', '--from', from.toISOString())
    expect(replay.messages).toBeGreaterThan(20)
    expect(replay.messages).toBeLessThan(Number(all) / 2)
    expectSame(await everything(live), before)
  })
})

describe('rejected messages', { timeout: 120_000 }, () => {
  it('are counted, and sent again once, as they came', async () => {
    const brokers = stack.endpoints.kafka_brokers.split(',')
    const producer = connectProducer({ brokers })
    const value = Buffer.from(`garbage ${randomUUID()}`)
    const counted = async () =>
      (await touchline('rejected', 'list', '--json'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    expect(await counted()).toEqual([])
    await producer.sendRaw([{ topic: topics.events.name, key: 'a-key', value }])
    await producer.close()
    await json('drain')
    expect(await counted()).toEqual([{ topic: 'events', reason: 'undecodable', count: 1, resent: 0 }])

    expect(await json('rejected', 'replay', '--reason', 'broken_seal')).toMatchObject({ sent: 0 })
    expect(await json('rejected', 'replay')).toMatchObject({ sent: 1, unreadable: 0 })
    await json('drain')
    // It is as broken as before, so it was rejected again; the one that was sent again is remembered as such.
    expect(await counted()).toEqual([{ topic: 'events', reason: 'undecodable', count: 2, resent: 1 }])
    const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topics.events.name] })
    const found: unknown[] = []
    while (found.length < 2) {
      for (const message of (await consumer.next())!.messages) {
        if (message.value?.equals(value)) found.push(message.key?.toString())
      }
    }
    await consumer.close()
    expect(found).toEqual(['a-key', 'a-key'])
  })
})

// Hits of programs are bots' hits and start no touch.
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** People who visit, are recognised and buy, one after the other, until it is stopped. */
function startTraffic() {
  let sales = 0
  let isSending = true
  const post = (path: string, body: unknown) =>
    fetch(`${stack.endpoints.base_url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': browser, authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
  const send = async () => {
    const issued = (await (await post('/api/v1/tracking/keys', {})).json()) as { data: { key: string } }
    while (isSending) {
      const person = randomUUID()
      const at = new Date().toISOString()
      const user_traits = { email: `${person}@example.com` }
      const hit = {
        event_id: randomUUID(),
        event_type: 'page_view',
        event_time: at,
        url: 'https://shop.example/',
        user_traits,
      }
      const visit = await post('/collect', {
        tracking_key: issued.data.key,
        visitor_id: person,
        sent_at: at,
        events: [hit],
      })
      const sale = await post('/api/v1/events', {
        event_type: 'payment_received',
        event_name: 'traffic',
        idempotency_key: person,
        properties: { value: 12.34, currency: 'USD' },
        user_traits,
      })
      if (visit.status !== 204 || sale.status !== 202) throw new Error(`refused: ${visit.status} ${sale.status}`)
      sales++
      await sleep(30)
    }
  }
  const sending = send()
  sending.catch(() => {})
  return {
    sales: () => sales,
    stop: async () => {
      isSending = false
      await sending
    },
  }
}
