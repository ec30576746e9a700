import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'

const headBytes = 256 * 1024
const headMs = 100

/** Node has no call for this; `mkfifo` is part of every Linux and macOS. */
export async function makePipes(paths: string[]): Promise<void> {
  await promisify(execFile)('mkfifo', ['-m', '600', ...paths])
}

/**
 * The engine's own streaming interface formats each block as a document of its own (a JSON or Parquet result would come
 * in pieces), so the engine writes its result into a named pipe instead: any format, with back-pressure from the reader.
 */
export function openPipe(path: string) {
  const reader = new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  })
  // Without a writer of our own the reader sees an end before the engine has opened the pipe, or never.
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  reader.on('error', () => {})
  let closed = false
  const chunks = reader.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  return {
    chunks,
    /** The engine blocks for ever on a pipe that nobody reads: what is left must be read, wanted or not. */
    async drain() {
      for (let next = await chunks.next(); !next.done; ) next = await chunks.next()
      reader.destroy()
    },
    /** To be called when the engine has finished: what is in the pipe is still delivered. */
    finish() {
      if (!closed) closeSync(writer)
      closed = true
    },
  }
}

export interface ResultHead {
  chunks: Buffer[]
  /** The result is in `chunks` as a whole. */
  isWhole: boolean
  rest: AsyncGenerator<Buffer>
}

/**
 * Holds the beginning back for a moment: a short result is then known as a whole (with its summary, and with a proper
 * status if it fails) before the headers go out.
 */
export async function readHead(iterator: AsyncIterator<Buffer>): Promise<ResultHead> {
  const chunks: Buffer[] = []
  let next = iterator.next()
  let size = 0
  let late: Promise<'late'> | undefined
  let timer: NodeJS.Timeout | undefined
  const rest = async function* () {
    for (let result = await next; !result.done; result = await iterator.next()) yield result.value
  }
  try {
    while (size < headBytes) {
      const result = await (late ? Promise.race([next, late]) : next)
      if (result === 'late') break
      if (result.done) return { chunks, isWhole: true, rest: rest() }
      chunks.push(result.value)
      size += result.value.length
      next = iterator.next()
      next.catch(() => {})
      late ??= new Promise((resolve) => {
        timer = setTimeout(resolve, headMs, 'late')
      })
    }
    return { chunks, isWhole: false, rest: rest() }
  } finally {
    clearTimeout(timer)
  }
}
