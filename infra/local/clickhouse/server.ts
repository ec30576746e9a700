import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { answerError, answerTo, type Outcome, type Summary } from './answer.ts'
import type { EngineResult } from './engine.ts'
import { ClickHouseError, errors, parseEngineError } from './errors.ts'
import { isForm, readForm } from './form.ts'
import { type PreparedQuery, prepareQuery } from './prepare.ts'
import { parseRequest, type QueryRequest } from './request.ts'
import { receiveQuery } from './request-body.ts'
import { openPipe, readHead } from './result-stream.ts'
import type { Lease, SessionPool } from './session-pool.ts'

export interface ServerOptions {
  pool: SessionPool
  /** Holds one pipe per slot (`out-N`) and the rows of inserts while they are read. */
  spool: string
  memoryBytes: number
}

export const pipePath = (spool: string, slot: number) => join(spool, `out-${slot}`)

export function createFront({ pool, spool, memoryBytes }: ServerOptions): Server {
  let calls = 0

  async function handleQuery(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => response.writableFinished || gone.abort())
    const files = { rows: join(spool, `in-${++calls}`), result: join(spool, `result-${calls}`) }
    let queryId = ''
    try {
      const form = isForm(message) ? await readForm(message) : undefined
      const request = parseRequest(message, form)
      queryId = request.queryId
      const received = await receiveQuery(message, request.query, request.contentEncoding, files.rows)
      const prepared = prepareQuery(request, received, memoryBytes)
      const lease = await pool.lease(gone.signal)
      try {
        for (const statement of prepared.before) await lease.run(statement, 'Null')
        const answer = answerTo(response, { ...request, format: prepared.format }, pool.version)
        if (!prepared.isStreamed) {
          const result = await lease.run(prepared.sql(''), prepared.format)
          await answer.whole([Buffer.from(result.bytes)], summaryOf(result, received.rows?.bytes))
        } else if (request.waitForEnd) {
          const result = await lease.run(prepared.sql(files.result), prepared.format)
          await answer.file(files.result, summaryOf(result))
        } else await answerFromPipe(request, prepared, lease, answer, gone.signal)
      } finally {
        lease.release()
      }
    } catch (error) {
      if (gone.signal.aborted || response.destroyed) return
      if (response.headersSent) return void response.destroy()
      answerError(response, asClickHouseError(error), queryId, pool.version)
    } finally {
      await Promise.all([rm(files.rows, { force: true }), rm(files.result, { force: true })])
    }
  }

  async function answerFromPipe(
    request: QueryRequest,
    prepared: PreparedQuery,
    lease: Lease,
    answer: ReturnType<typeof answerTo>,
    gone: AbortSignal,
  ): Promise<void> {
    const path = pipePath(spool, lease.slot)
    const pipe = openPipe(path)
    const outcome: Promise<Outcome> = lease
      .run(prepared.sql(path), prepared.format)
      .then((result) => ({ result }))
      .catch((error) => ({ error: parseEngineError(error) }))
      .finally(pipe.finish)
    // Nobody waits any more: the engine would go on to the end, so its query is ended.
    let ended = () => {}
    const abandon = () => {
      if (!request.settings.has('log_comment')) ended = pool.abandon(request.queryId)
    }
    gone.addEventListener('abort', abandon, { once: true })
    if (gone.aborted) abandon()
    try {
      const head = await readHead(pipe.chunks)
      if (!head.isWhole) return await answer.stream(head, outcome)
      const end = await outcome
      if ('error' in end) throw end.error
      await answer.whole(head.chunks, summaryOf(end.result))
    } finally {
      await pipe.drain()
      await outcome
      gone.removeEventListener('abort', abandon)
      ended()
    }
  }

  return createServer(
    { maxHeaderSize: 1024 * 1024, requestTimeout: 0, keepAliveTimeout: 30_000 },
    (message, response) => {
      const { pathname } = new URL(message.url ?? '/', 'http://localhost')
      if (!isLocal(message)) return plain(response, 403, 'Only local callers are served.\n')
      if (pathname === '/ping' || pathname === '/replicas_status') return plain(response, 200, 'Ok.\n')
      if (pathname !== '/') return plain(response, 404, `There is no handle ${pathname}\n`)
      if (message.method === 'GET' && !message.url?.includes('?')) return plain(response, 200, 'Ok.\n')
      if (message.method === 'HEAD') return plain(response, 200, '')
      if (message.method !== 'GET' && message.method !== 'POST') return plain(response, 405, 'Use GET or POST.\n')
      void handleQuery(message, response)
    },
  )
}

function asClickHouseError(error: unknown): ClickHouseError {
  return error instanceof ClickHouseError ? error : errors.internal(error)
}

function summaryOf(result: EngineResult, insertedBytes?: number): Summary {
  const elapsedSeconds = result.elapsed
  return insertedBytes === undefined
    ? { readRows: result.rowsRead, readBytes: result.bytesRead, elapsedSeconds }
    : {
        readRows: result.rowsRead,
        readBytes: insertedBytes,
        writtenRows: result.rowsRead,
        writtenBytes: result.bytesRead,
        elapsedSeconds,
      }
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=UTF-8', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

/** There are no passwords here, so a page in a browser on this machine must not be able to send a query. */
function isLocal(message: IncomingMessage): boolean {
  const { origin, host } = message.headers
  const isOwn = (address: string) => {
    const name = URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : ''
    return name === 'localhost' || isIP(name) !== 0
  }
  return isOwn(`http://${host ?? 'localhost'}`) && (origin === undefined || isOwn(origin))
}
