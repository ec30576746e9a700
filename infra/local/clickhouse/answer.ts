import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress } from 'node:zlib'
import type { EngineResult } from './engine.ts'
import { type ClickHouseError, errorText, httpStatus, midStreamError } from './errors.ts'
import type { ResultHead } from './result-stream.ts'

const contentTypes: Record<string, string> = {
  JSON: 'application/json; charset=UTF-8',
  JSONCompact: 'application/json; charset=UTF-8',
  JSONStrings: 'application/json; charset=UTF-8',
  JSONEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONStringsEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRow: 'application/x-ndjson; charset=UTF-8',
  CSV: 'text/csv; charset=UTF-8; header=absent',
  CSVWithNames: 'text/csv; charset=UTF-8; header=present',
  CSVWithNamesAndTypes: 'text/csv; charset=UTF-8; header=present',
  TabSeparated: 'text/tab-separated-values; charset=UTF-8',
  TSV: 'text/tab-separated-values; charset=UTF-8',
  XML: 'application/xml; charset=UTF-8',
}
const binaryFormat = /^(RowBinary|Native|Parquet|Arrow|ORC|Avro|MsgPack|BSON|CapnProto|Protobuf|Npy)/

/** In order of preference: on one machine speed counts more than size. */
const encoders = {
  zstd: () => createZstdCompress(),
  gzip: () => createGzip({ level: 3 }),
  deflate: () => createDeflate({ level: 3 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
}
type Encoding = keyof typeof encoders

export type Outcome = { result: EngineResult } | { error: ClickHouseError }

/** One response in ClickHouse's HTTP protocol. */
export function answerTo(
  response: ServerResponse,
  call: { queryId: string; format: string; acceptEncoding: string },
  version: string,
) {
  const tag = randomBytes(8).toString('hex')
  const accepted = call.acceptEncoding.split(',').map((item) => item.split(';')[0]?.trim())
  const encoding = (Object.keys(encoders) as Encoding[]).find((name) => accepted.includes(name))

  const writeHead = (headers: Record<string, string | number>) =>
    response.writeHead(200, {
      'Content-Type': contentTypes[call.format] ?? fallbackType(call.format),
      'X-ClickHouse-Query-Id': call.queryId,
      'X-ClickHouse-Format': call.format,
      'X-ClickHouse-Timezone': 'UTC',
      'X-ClickHouse-Exception-Tag': tag,
      ...(encoding ? { 'Content-Encoding': encoding, Vary: 'Accept-Encoding' } : {}),
      ...headers,
    })

  const send = (body: AsyncIterable<Buffer>) =>
    encoding ? pipeline(body, encoders[encoding](), response) : pipeline(body, response)

  return {
    async whole(chunks: Buffer[], summary: Summary): Promise<void> {
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      writeHead({
        'X-ClickHouse-Summary': summaryHeader(summary),
        ...(encoding ? {} : { 'Content-Length': length }),
      })
      await send(iterate(chunks))
    },

    async file(path: string, summary: Summary): Promise<void> {
      writeHead({ 'X-ClickHouse-Summary': summaryHeader(summary) })
      await send(createReadStream(path))
    },

    /** The status is out before the query has ended: a later error follows the rows, marked as a server marks it. */
    async stream(head: ResultHead, outcome: Promise<Outcome>): Promise<void> {
      writeHead({})
      const body = async function* () {
        yield* head.chunks
        yield* head.rest
        const end = await outcome
        if ('error' in end) yield Buffer.from(midStreamError(end.error, version, tag))
      }
      await send(body())
    },
  }
}

export function answerError(response: ServerResponse, error: ClickHouseError, queryId: string, version: string): void {
  const text = errorText(error, version)
  response.writeHead(httpStatus(error), {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    'X-ClickHouse-Query-Id': queryId,
    'X-ClickHouse-Exception-Code': error.code,
    ...(error.code === 202 ? { 'Retry-After': 1 } : {}),
  })
  response.end(text)
}

export interface Summary {
  readRows?: number
  readBytes?: number
  writtenRows?: number
  writtenBytes?: number
  elapsedSeconds: number
}

function summaryHeader(summary: Summary): string {
  return JSON.stringify({
    read_rows: String(summary.readRows ?? 0),
    read_bytes: String(summary.readBytes ?? 0),
    written_rows: String(summary.writtenRows ?? 0),
    written_bytes: String(summary.writtenBytes ?? 0),
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: '0',
    elapsed_ns: String(Math.round(summary.elapsedSeconds * 1e9)),
  })
}

const fallbackType = (format: string) =>
  binaryFormat.test(format) ? 'application/octet-stream' : 'text/plain; charset=UTF-8'

async function* iterate(chunks: Buffer[]) {
  yield* chunks
}
