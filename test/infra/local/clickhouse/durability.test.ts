import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Front, failToStart, newFolder, post, removeFolder, startFront, until } from './start-front.ts'

const folders: string[] = []
const fronts: Front[] = []
const folder = async () => {
  const path = await newFolder()
  folders.push(path)
  return path
}
const start = async (data: string, ...options: string[]) => {
  const front = await startFront(data, ...options)
  fronts.push(front)
  return front
}

afterEach(async () => {
  for (const front of fronts.splice(0)) if (front.process.exitCode === null) await front.kill('SIGKILL')
  for (const path of folders.splice(0)) await removeFolder(path)
})

describe('the local ClickHouse', { timeout: 120_000 }, () => {
  it('keeps every acknowledged row through kill -9, also in the middle of an insert', async () => {
    const data = await folder()
    let acknowledged = 0
    for (let round = 0; round < 4; round++) {
      const front = await start(data)
      const client = connect(front.url)
      await client.command({ query: 'CREATE TABLE IF NOT EXISTS kept (n UInt64) ENGINE = MergeTree ORDER BY n' })
      const stored = await count(front, 'SELECT count(), uniqExact(n) FROM kept')
      expect(stored[0]).toBeGreaterThanOrEqual(acknowledged)
      expect(stored[1]).toBe(stored[0])
      acknowledged = stored[0] ?? 0
      if (round === 3) return client.close()
      for (let i = 0; i < 20; i++) {
        await client.insert({ table: 'kept', values: [{ n: round * 1000 + i }], format: 'JSONEachRow' })
        acknowledged++
      }
      const unfinished = client
        .insert({ table: 'kept', values: [{ n: round * 1000 + 500 }], format: 'JSONEachRow' })
        .catch(() => {})
      await front.kill('SIGKILL')
      await unfinished
      await client.close()
    }
  })

  it('refuses a second process on its folder in one sentence and goes on', async () => {
    const data = await folder()
    const front = await start(data)
    const second = await failToStart(data)
    expect(second.code).toBe(1)
    expect(second.said).toContain(`Process ${front.process.pid} already serves ${join(data, 'engine')}`)
    expect((await post(front.url, 'SELECT 1')).bytes.toString()).toBe('1\n')
  })

  it('starts on a folder whose lock, spool and half-made tables a dead process left', async () => {
    const data = await folder()
    await mkdir(join(data, 'engine', 'metadata'), { recursive: true })
    await mkdir(join(data, 'spool'), { recursive: true })
    await writeFile(join(data, 'engine', 'status'), 'PID: 999999\nStarted at: 2020-01-01 00:00:00\n')
    await writeFile(join(data, 'spool', 'in-7'), 'left over')
    const front = await start(data)
    expect((await post(front.url, 'SELECT 1')).bytes.toString()).toBe('1\n')
    expect(await readdir(join(data, 'spool'))).not.toContain('in-7')
  })

  it('says in one sentence what is wrong with its arguments', async () => {
    const data = await folder()
    expect(await failToStart(data, '--host', '0.0.0.0')).toMatchObject({
      code: 1,
      said: expect.stringContaining('not a loopback address'),
    })
    expect(await failToStart(data, '--memory-mb', 'much')).toMatchObject({
      code: 1,
      said: expect.stringContaining('whole number'),
    })
  })

  it('finishes what runs on SIGTERM and exits with 0', async () => {
    const front = await start(await folder())
    const answer = post(front.url, 'SELECT sleep(2), 7')
    await until(async () => (await running(front)) > 1)
    const code = front.kill('SIGTERM')
    expect((await answer).bytes.toString()).toBe('0\t7\n')
    expect(await code).toBe(0)
  })

  it('ends on SIGTERM what would run for too long', async () => {
    const front = await start(await folder())
    const answer = post(front.url, 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)')
    await until(async () => (await running(front)) > 1)
    const code = front.kill('SIGTERM')
    expect((await answer).headers.get('x-clickhouse-exception-code')).toBe('394')
    expect(await code).toBe(0)
  })
})

async function count(front: Front, sql: string): Promise<number[]> {
  return (await post(front.url, sql)).bytes.toString().trim().split('\t').map(Number)
}

const running = async (front: Front) => (await count(front, 'SELECT count() FROM system.processes'))[0] ?? 0
