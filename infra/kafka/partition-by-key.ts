const seed = 0x9747b28c
const mix = 0x5bd1e995

/**
 * The partition of Kafka's own clients for a key: murmur2, made positive. The client library's own does it in BigInt,
 * which costs more than all else that it does for a message.
 */
export const partitionByKey = (_message: unknown, key: Buffer | undefined): number =>
  Buffer.isBuffer(key) ? murmur2(key) & 0x7fffffff : 0

function murmur2(bytes: Buffer): number {
  const { length } = bytes
  const whole = length & ~3
  let hash = seed ^ length
  for (let at = 0; at < whole; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, mix)
    word = Math.imul(word ^ (word >>> 24), mix)
    hash = Math.imul(hash, mix) ^ word
  }
  if (whole < length) {
    for (let at = whole; at < length; at++) hash ^= bytes[at]! << (8 * (at - whole))
    hash = Math.imul(hash, mix)
  }
  hash = Math.imul(hash ^ (hash >>> 13), mix)
  return hash ^ (hash >>> 15)
}
