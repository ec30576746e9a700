import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ClickHouseClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Front, newFolder, post, removeFolder, startFront, until } from './start-front.ts'

const endless = 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)'
const megabyte = 1024 * 1024

let folder: string
let front: Front
let client: ClickHouseClient

beforeAll(async () => {
  folder = await newFolder()
  front = await startFront(folder, '--max-running', '6', '--max-waiting', '2')
  client = connect(front.url)
}, 60_000)

afterAll(async () => {
  await client?.close()
  await front?.kill('SIGTERM')
  await removeFolder(folder)
})

const isRunning = async (id: string) => {
  const sql = `SELECT count() FROM system.processes WHERE Settings['log_comment'] = '${id}'`
  return (await post(front.url, sql, { log_comment: 'watch' })).bytes.toString() === '1\n'
}

async function peakMemory(): Promise<number> {
  const status = await readFile(`/proc/${front.process.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024
}

describe('a large result', { timeout: 120_000 }, () => {
  it('streams five million rows through bounded memory', async () => {
    await post(front.url, 'SELECT number FROM numbers(1000000)')
    const before = await peakMemory()
    const result = await client.query({
      query: "SELECT number AS n, toString(cityHash64(number)) AS hash, repeat('x', 60) AS pad FROM numbers(5000000)",
      format: 'JSONEachRow',
    })
    let count = 0
    let bytes = 0
    let last = ''
    for await (const rows of result.stream()) {
      count += rows.length
      for (const row of rows) bytes += row.text.length
      last = rows.at(-1)?.text ?? last
    }
    expect(count).toBe(5_000_000)
    expect(JSON.parse(last).n).toBe(4_999_999)
    expect(bytes).toBeGreaterThan(500 * megabyte)
    expect((await peakMemory()) - before).toBeLessThan(250 * megabyte)
  })

  it('waits for a reader that pauses, and ends with one that leaves', async () => {
    const id = randomUUID()
    const leaving = new AbortController()
    const response = await fetch(`${front.url}/?query_id=${id}`, {
      method: 'POST',
      body: 'SELECT number FROM numbers(1000000000000)',
      signal: leaving.signal,
    })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    for (let i = 0; i < 50; i++) expect((await post(front.url, `SELECT ${i}`)).bytes.toString()).toBe(`${i}\n`)
    expect(await isRunning(id)).toBe(true)
    leaving.abort()
    await until(async () => !(await isRunning(id)))
  })

  it('reports an error that comes after its first rows', async () => {
    const result = await client.query({
      query: 'SELECT throwIf(number = 3000000) AS x, number FROM numbers(10000000)',
      format: 'JSONEachRow',
      clickhouse_settings: { max_threads: 1 },
    })
    const reading = (async () => {
      for await (const _rows of result.stream());
    })()
    await expect(reading).rejects.toMatchObject({ code: '395' })
  })

  it('is checked to its end first when the caller waits for the end', async () => {
    const sql = 'SELECT throwIf(number = 3000000), number FROM numbers(10000000)'
    const answer = await post(front.url, sql, { wait_end_of_query: '1', max_threads: '1' })
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([500, '395'])
    const whole = await post(front.url, 'SELECT number FROM numbers(1000000)', { wait_end_of_query: '1' })
    expect(whole.bytes.toString().endsWith('\n999999\n')).toBe(true)
  })
})

describe('queries side by side', { timeout: 120_000 }, () => {
  it('light ones end while heavy ones run, with parameters or without', async () => {
    const heavy = ['a', 'b', 'c'].map((name) => ({ id: `heavy-${name}`, gone: new AbortController() }))
    const running = heavy.map(({ id, gone }) =>
      client
        .query({
          query: `${endless} WHERE number != {n:UInt64}`,
          query_params: { n: 1 },
          query_id: id,
          abort_signal: gone.signal,
        })
        .catch(() => {}),
    )
    for (const { id } of heavy) await until(() => isRunning(id))
    for (let n = 0; n < 60; n++) {
      const result = await client.query({ query: 'SELECT {n:UInt64} AS n', query_params: { n }, format: 'JSONEachRow' })
      expect(await result.json()).toEqual([{ n }])
    }
    const stillRunning = await Promise.all(heavy.map(({ id }) => isRunning(id)))
    expect(stillRunning).toEqual([true, true, true])
    expect((await post(front.url, 'SELECT count() FROM system.processes')).bytes.toString()).toBe('4\n')
    for (const { gone } of heavy) gone.abort()
    await Promise.all(running)
    for (const { id } of heavy) await until(async () => !(await isRunning(id)))
  })

  it('whose callers leave at once hold no place', async () => {
    for (let i = 0; i < 20; i++) {
      const signal = AbortSignal.timeout(i)
      const body = 'SELECT number FROM numbers(1000000000000)'
      await fetch(front.url, { method: 'POST', body, signal })
        .then((answer) => answer.text())
        .catch(() => {})
    }
    const sql = 'SELECT count() FROM system.processes'
    await until(async () => (await post(front.url, sql)).bytes.toString() === '1\n')
  })

  it('are ended by KILL QUERY with the id that the caller gave', async () => {
    const query_id = randomUUID()
    const query = client.query({ query: endless, query_id })
    const failed = expect(query).rejects.toMatchObject({ code: '394', type: 'QUERY_WAS_CANCELLED' })
    await until(() => isRunning(query_id))
    await client.command({ query: `KILL QUERY WHERE query_id = '${query_id}' SYNC` })
    await failed
  })

  it('beyond the running and the waiting ones are refused at once', async () => {
    const gone = new AbortController()
    const busy = Array.from({ length: 8 }, (_, i) =>
      fetch(`${front.url}/?query_id=busy-${i}`, { method: 'POST', body: endless, signal: gone.signal }).catch(() => {}),
    )
    await until(async () => (await post(front.url, 'SELECT 1')).status === 503)
    const refused = await post(front.url, 'SELECT 1')
    expect(refused.headers.get('x-clickhouse-exception-code')).toBe('202')
    expect(refused.bytes.toString()).toContain('TOO_MANY_SIMULTANEOUS_QUERIES')
    gone.abort()
    await Promise.all(busy)
    await until(async () => (await post(front.url, 'SELECT 1')).status === 200)
  })
})

describe('a large insert', { timeout: 120_000 }, () => {
  it('goes through bounded memory and leaves nothing behind when its sender leaves', async () => {
    await client.command({ query: 'CREATE TABLE big (n UInt64, pad String) ENGINE = MergeTree ORDER BY n' })
    const before = await peakMemory()
    const line = (n: number) => `{"n":${n},"pad":"${'y'.repeat(80)}"}\n`
    const chunks = function* (rows: number) {
      for (let n = 0; n < rows; n += 1000) yield Array.from({ length: 1000 }, (_, i) => line(n + i)).join('')
    }
    await client.exec({ query: 'INSERT INTO big FORMAT JSONEachRow', values: Readable.from(chunks(9_000_000)) })
    expect((await post(front.url, 'SELECT count(), max(n) FROM big')).bytes.toString()).toBe('9000000\t8999999\n')
    // 900 MB of rows; the engine's own blocks take up to some 500 MB, whatever the body's size.
    expect((await peakMemory()) - before).toBeLessThan(650 * megabyte)

    const broken = new AbortController()
    const half = async function* () {
      yield Buffer.from(line(9_000_000))
      broken.abort()
      yield Buffer.from(line(9_000_001))
    }
    const init = { method: 'POST', body: Readable.toWeb(Readable.from(half())), duplex: 'half', signal: broken.signal }
    await fetch(`${front.url}/?query=INSERT+INTO+big+FORMAT+JSONEachRow`, init as RequestInit).catch(() => {})
    expect((await post(front.url, 'SELECT max(n) FROM big')).bytes.toString()).toBe('8999999\n')
  })
})
