import { expect, test } from 'vitest'
import { type Line, linesOf, tooLong } from '../../../ingest/imports/lines.ts'

async function* bytes(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}
async function read(...chunks: (string | Uint8Array)[]): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of linesOf(bytes(...chunks))) lines.push(line)
  return lines
}

test.each([
  ['a last line without its end', ['a\nb'], ['a', 'b']],
  ['a last line with its end', ['a\nb\n'], ['a', 'b']],
  ['lines split over chunks', ['a', 'b\nc', 'd\n'], ['ab', 'cd']],
  ['empty lines, so that numbers stay right', ['a\n\nb'], ['a', '', 'b']],
  ['nothing', [], []],
  ['a byte order mark', ['\ufeffa\n'], ['a']],
])('%s', async (_, chunks, lines) => {
  expect(await read(...chunks)).toEqual(lines)
})

test('a character split over chunks is whole again', async () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é\n').subarray(1)]
  expect(await read(first, second)).toEqual(['é'])
})

test('a line longer than a megabyte is marked, the next one is read', async () => {
  const chunk = 'x'.repeat(300_000)
  expect(await read(chunk, chunk, chunk, chunk, 'y\nnext\n', chunk.repeat(4))).toEqual([tooLong, 'next', tooLong])
})
