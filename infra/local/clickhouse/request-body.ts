import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { ClickHouseError, errors } from './errors.ts'
import { createLz4Decompress } from './lz4-frame.ts'
import { analyseStatement, type Statement } from './statement.ts'

export const maxQueryBytes = 64 * 1024 * 1024
const headBytes = 256 * 1024

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
  lz4: createLz4Decompress,
}

export interface ReceivedQuery {
  sql: Buffer
  statement: Statement
  rows: { format: string; file: string; bytes: number } | undefined
}

/**
 * Reads a statement that stands in the address, in the body or in both. An insert's rows go to a file, whatever their
 * size: they are complete before the engine sees the first one, and a slow sender holds no engine session.
 */
export async function receiveQuery(
  message: IncomingMessage,
  query: string,
  encoding: string,
  spoolFile: string,
): Promise<ReceivedQuery> {
  const body = decodedBody(message, encoding)
  try {
    return await readQuery(body, query, spoolFile)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (/^(Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_ZLIB|ZSTD|ERR_PADDING|ERR_BUF)/.test(code))
      throw errors.undecodableBody(encoding)
    if (code === 'ENOSPC')
      throw new ClickHouseError(243, 'NOT_ENOUGH_SPACE', 'No space left for the rows of this insert')
    throw error
  }
}

function decodedBody(message: IncomingMessage, encoding: string): AsyncIterable<Buffer> {
  if (encoding === '' || encoding === 'identity') return message
  if (!(encoding in decoders)) throw errors.unsupportedEncoding(encoding)
  const decoder = decoders[encoding as keyof typeof decoders]()
  message.on('error', (error) => decoder.destroy(error))
  return message.pipe(decoder)
}

async function readQuery(body: AsyncIterable<Buffer>, query: string, spoolFile: string): Promise<ReceivedQuery> {
  const spool = async (sql: Buffer, statement: Statement, format: string, rows: AsyncIterable<Buffer>) => {
    await pipeline(rows, createWriteStream(spoolFile))
    const { size } = await stat(spoolFile)
    return { sql, statement, rows: { format, file: spoolFile, bytes: size } }
  }
  const chunks = body[Symbol.asyncIterator]()
  const address = Buffer.from(query)
  const inAddress = analyse(address)
  if (inAddress.rows) {
    const begun = address.subarray(inAddress.rows.start)
    const first = begun.toString().trim() === '' ? [] : [begun, Buffer.from('\n')]
    return spool(address, inAddress, inAddress.rows.format, resume(first, chunks))
  }
  const parts: Buffer[] = query === '' ? [] : [address, Buffer.from('\n')]
  let size = address.length
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    parts.push(next.value)
    size += next.value.length
    if (size > maxQueryBytes) throw errors.queryTooLarge(maxQueryBytes)
    if (size > headBytes && parts.length > 3) continue
    const head = Buffer.concat(parts)
    const statement = analyse(head)
    if (statement.rows && statement.rows.start < head.length) {
      return spool(head, statement, statement.rows.format, resume([head.subarray(statement.rows.start)], chunks))
    }
  }
  const sql = Buffer.concat(parts)
  const statement = analyse(sql)
  if (!statement.rows) return { sql, statement, rows: undefined }
  return spool(sql, statement, statement.rows.format, resume([sql.subarray(statement.rows.start)], chunks))
}

/** Callers send the same few statements over and over, with other parameters. */
const known = new Map<string, Statement>()
const mostKnown = 100
const longestKnown = 16 * 1024

/** Latin1 keeps one character per byte, so that offsets hold for the bytes. */
function analyse(sql: Buffer): Statement {
  const text = sql.toString('latin1')
  const before = known.get(text)
  if (before) return before
  const statement = analyseStatement(text)
  if (!statement.rows && text.length <= longestKnown) {
    if (known.size >= mostKnown) known.clear()
    known.set(text, statement)
  }
  return statement
}

async function* resume(first: Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
