import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'

const main = fileURLToPath(new URL('../../../../infra/local/clickhouse/main.ts', import.meta.url))

export const newFolder = () => mkdtemp(join(tmpdir(), 'touchline-clickhouse-'))
export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true })

export interface Front {
  url: string
  process: ChildProcess
  kill(signal: NodeJS.Signals): Promise<number | null>
}

function launch(data: string, ...options: string[]): ChildProcess {
  return spawn(process.execPath, [main, '--data', data, '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function startFront(data: string, ...options: string[]): Promise<Front> {
  const child = launch(data, ...options)
  const exit = once(child, 'exit') as Promise<[number | null]>
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const ready = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>
  const line = await Promise.race([ready.then(([text]) => text), exit.then(() => '')])
  const url = /^ready (http:\S+)$/.exec(line)?.[1]
  if (!url) throw new Error(`the front did not start: ${complaint}`)
  return {
    url,
    process: child,
    async kill(signal) {
      child.kill(signal)
      return (await exit)[0]
    },
  }
}

/** What a process says and how it ends when it cannot start. */
export async function failToStart(data: string, ...options: string[]): Promise<{ code: number | null; said: string }> {
  const child = launch(data, ...options)
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

export const connect = (url: string, options: Parameters<typeof createClient>[0] = {}) =>
  createClient({
    url,
    max_open_connections: 64,
    request_timeout: 120_000,
    log: { level: ClickHouseLogLevel.OFF },
    ...options,
  })

type Body = string | Buffer<ArrayBuffer>

export async function post(url: string, body: Body, query: Record<string, string> = {}, init: RequestInit = {}) {
  const response = await fetch(`${url}/?${new URLSearchParams(query)}`, { method: 'POST', body, ...init })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((next) => setTimeout(next, 50))
}
