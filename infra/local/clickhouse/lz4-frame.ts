import { Transform } from 'node:stream'

const frameMagic = 0x184d2204
const windowBytes = 64 * 1024
const maxBlockBytes = 4 * 1024 * 1024

/** Decodes the LZ4 frame format, which Node lacks and Python's client sends unless told otherwise. Checksums are skipped. */
export function createLz4Decompress(): Transform {
  const frame = frameReader()
  let pending: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        for (let used = frame.read(pending); used > 0; used = frame.read(pending)) pending = pending.subarray(used)
        for (const block of frame.take()) this.push(block)
        done()
      } catch {
        done(malformed())
      }
    },
    flush: (done) => done(frame.isBetweenFrames() && pending.length === 0 ? null : malformed()),
  })
}

const malformed = () => Object.assign(new Error('malformed LZ4 frame'), { code: 'Z_DATA_ERROR' })

function frameReader() {
  let header: { hasBlockChecksum: boolean; hasContentChecksum: boolean } | undefined
  let history: Buffer = Buffer.alloc(0)
  let decoded: Buffer[] = []

  /** How many bytes of the header or of one block it has used; 0 when it needs more. */
  function read(input: Buffer): number {
    if (!header) return readHeader(input)
    if (input.length < 4) return 0
    const size = input.readUInt32LE(0)
    if (size === 0) {
      const used = 4 + (header.hasContentChecksum ? 4 : 0)
      if (input.length < used) return 0
      header = undefined
      return used
    }
    const length = size & 0x7fffffff
    if (length > maxBlockBytes * 2) throw malformed()
    const used = 4 + length + (header.hasBlockChecksum ? 4 : 0)
    if (input.length < used) return 0
    const block = input.subarray(4, 4 + length)
    const output = size >>> 31 ? Buffer.from(block) : decodeBlock(block, history)
    decoded.push(output)
    history = output.length >= windowBytes ? output : Buffer.concat([history, output]).subarray(-windowBytes)
    return used
  }

  function readHeader(input: Buffer): number {
    if (input.length < 7) return 0
    if (input.readUInt32LE(0) !== frameMagic) throw malformed()
    const flags = input[4] ?? 0
    const used = 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0)
    if (input.length < used) return 0
    header = { hasBlockChecksum: (flags & 0x10) !== 0, hasContentChecksum: (flags & 0x04) !== 0 }
    history = Buffer.alloc(0)
    return used
  }

  return {
    read,
    isBetweenFrames: () => header === undefined,
    take() {
      const blocks = decoded
      decoded = []
      return blocks
    },
  }
}

function decodeBlock(block: Buffer, history: Buffer): Buffer {
  const window = history.subarray(-windowBytes)
  let output = Buffer.allocUnsafe(window.length + Math.max(windowBytes, block.length * 3))
  let at = window.copy(output)
  let from = 0
  const reserve = (length: number) => {
    if (at + length - window.length > maxBlockBytes) throw malformed()
    if (at + length > output.length) output = Buffer.concat([output], Math.max(output.length * 2, at + length))
  }
  const readLength = (nibble: number) => {
    let length = nibble
    for (let more = nibble === 15; more; ) {
      const byte = block[from++]
      if (byte === undefined) throw malformed()
      length += byte
      more = byte === 255
    }
    return length
  }
  while (from < block.length) {
    const token = block[from++] ?? 0
    const literals = readLength(token >> 4)
    if (from + literals > block.length) throw malformed()
    reserve(literals)
    at += block.copy(output, at, from, from + literals)
    from += literals
    if (from >= block.length) break
    const distance = block.readUInt16LE(from)
    from += 2
    const length = readLength(token & 15) + 4
    if (distance === 0 || distance > at) throw malformed()
    reserve(length)
    // A match may overlap what it writes: the copy must see its own output.
    if (distance >= length) output.copyWithin(at, at - distance, at - distance + length)
    else for (let i = 0; i < length; i++) output[at + i] = output[at + i - distance] ?? 0
    at += length
  }
  return output.subarray(window.length, at)
}
