const maxLineLength = 1024 * 1024

/** A line that is too long to be a row; its text was thrown away as it came. */
export const tooLong = Symbol('too long')
export type Line = string | typeof tooLong

/** The lines of a stream of bytes, holding at most one line and one chunk in memory. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  let isTooLong = false
  const push = function* (text: string): Generator<Line> {
    const parts = text.split('\n')
    for (const [at, part] of parts.entries()) {
      if (!isTooLong) rest += part
      if (rest.length > maxLineLength) {
        isTooLong = true
        rest = ''
      }
      if (at === parts.length - 1) return
      yield isTooLong ? tooLong : rest
      rest = ''
      isTooLong = false
    }
  }
  for await (const chunk of chunks) yield* push(decoder.decode(chunk, { stream: true }))
  yield* push(decoder.decode())
  if (rest !== '' || isTooLong) yield isTooLong ? tooLong : rest
}
