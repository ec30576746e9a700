import { mkdir, readFile, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const graceMs = 5_000

class StartError extends Error {}

async function main(): Promise<void> {
  const { data, host, port, memoryBytes, running, waiting } = readArguments()
  // Each running query holds a thread of libuv's pool; reading, writing and compressing need some besides. The pool is
  // made at its first use, so this stands before everything that works in it.
  process.env.UV_THREADPOOL_SIZE = String(Math.max(Number(process.env.UV_THREADPOOL_SIZE ?? 0), running + 16))
  // The engine takes the machine's time zone as the server's; clusters run in UTC.
  process.env.TZ = 'UTC'
  const engine = await loadEngine()
  const [path, spool] = [join(data, 'engine'), join(data, 'spool')]
  await mkdir(path, { recursive: true })
  const pool = await openPool(() => engine.openSessionPool({ path, memoryBytes, running, waiting }), path)
  await rm(spool, { recursive: true, force: true })
  await mkdir(spool, { recursive: true })
  const slots = Array.from({ length: running }, (_, slot) => engine.pipePath(spool, slot))
  await engine.makePipes(slots).catch(() => {
    throw new StartError(`Named pipes cannot be made in ${spool}: install coreutils (mkfifo) or use another folder.`)
  })
  const server = engine.createFront({ pool, spool, memoryBytes })
  await new Promise<void>((listening, failed) => {
    server.once('error', (error) => failed(new StartError(`Port ${port} on ${host} cannot be used: ${error.message}.`)))
    server.listen(port, host, listening)
  })
  const address = server.address()
  const actualPort = typeof address === 'object' ? address?.port : port
  process.stdout.write(`ready http://${isIP(host) === 6 ? `[${host}]` : host}:${actualPort}\n`)

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    const closed = new Promise((done) => server.close(done))
    server.closeIdleConnections()
    await pool.close(graceMs)
    server.closeIdleConnections()
    await Promise.race([closed, new Promise((late) => setTimeout(late, 1_000))])
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      'memory-mb': { type: 'string', default: '1700' },
      'max-running': { type: 'string', default: '16' },
      'max-waiting': { type: 'string', default: '256' },
    },
  })
  const wholeNumber = (name: 'memory-mb' | 'max-running' | 'max-waiting', least: number) => {
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < least)
      throw new StartError(`--${name} must be a whole number from ${least}.`)
    return value
  }
  const port = Number(values.port)
  if (!values.data || !values.port || !Number.isInteger(port) || port < 0 || port > 65535) {
    throw new StartError(
      'Usage: node infra/local/clickhouse/main.ts --data DIR --port N [--host 127.0.0.1] [--memory-mb 1700] [--max-running 16] [--max-waiting 256]',
    )
  }
  if (!/^(127(\.\d+){3}|::1|localhost)$/.test(values.host)) {
    throw new StartError(
      `${values.host} is not a loopback address: this server has no passwords and stays on this machine.`,
    )
  }
  return {
    data: resolve(values.data),
    host: values.host,
    port,
    memoryBytes: wholeNumber('memory-mb', 256) * 1024 * 1024,
    running: wholeNumber('max-running', 1),
    waiting: wholeNumber('max-waiting', 0),
  }
}

async function loadEngine() {
  try {
    const [sessions, front, results] = await Promise.all([
      import('./session-pool.ts'),
      import('./server.ts'),
      import('./result-stream.ts'),
    ])
    return { ...sessions, ...front, ...results }
  } catch (error) {
    throw new StartError(
      `The ClickHouse engine (npm chdb) does not load on ${process.platform}-${process.arch}: put a "clickhouse" binary on PATH or set CLICKHOUSE_URL (${firstLine(error)}).`,
    )
  }
}

async function openPool<T>(open: () => Promise<T>, path: string): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const pid = Number(/PID: (\d+)/.exec(await readFile(join(path, 'status'), 'utf8').catch(() => ''))?.[1])
    if (pid && pid !== process.pid && isAlive(pid)) {
      throw new StartError(`Process ${pid} already serves ${path}: stop it or use another folder.`)
    }
    throw new StartError(`The ClickHouse engine cannot open ${path}: ${firstLine(error)}; its reason stands above.`)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n')[0]

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof StartError ? error.message : firstLine(error)}\n`)
  process.exit(1)
})
