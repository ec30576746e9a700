/** A random UUID, also where a page is not secure and has no `randomUUID`. */
export function uuid(): string {
  let bytes: ArrayLike<number>
  try {
    bytes = crypto.getRandomValues(new Uint8Array(16))
  } catch {
    bytes = Array.from({ length: 16 }, () => Math.random() * 256)
  }
  let hex = ''
  for (let at = 0; at < 16; at++) {
    const byte = at === 6 ? (bytes[at]! & 15) | 64 : at === 8 ? (bytes[at]! & 63) | 128 : bytes[at]! & 255
    hex += (at === 4 || at === 6 || at === 8 || at === 10 ? '-' : '') + (byte + 256).toString(16).slice(1)
  }
  return hex
}
