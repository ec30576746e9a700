import { open } from 'node:fs/promises'
import { UsageError } from './failure.ts'

export interface Source {
  chunks: AsyncIterable<Uint8Array>
  size: number | undefined
  bytesRead(): number
}

/** A file that somebody named, or - for standard input. */
export async function openSource(file: string): Promise<Source> {
  if (file === '-') return { chunks: process.stdin, size: undefined, bytesRead: () => 0 }
  const opened = await open(file).catch(() => undefined)
  const found = await opened?.stat()
  if (!opened || !found || found.isDirectory()) {
    await opened?.close()
    throw new UsageError(`${file} cannot be read.`)
  }
  const stream = opened.createReadStream({ highWaterMark: 256 * 1024 })
  return { chunks: stream, size: found.isFile() ? found.size : undefined, bytesRead: () => stream.bytesRead }
}
