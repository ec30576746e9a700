import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { topics } from '../../schemas/topics.ts'
import { openWorld, type World } from '../ingest/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'touchline-import-'))
const entry = join(import.meta.dirname, '../../bin/touchline')
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

function touchline(args: string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    // Vitest sets a BASE_URL of its own.
    const child = spawn(entry, args, { env: { ...process.env, BASE_URL: '' } })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.on('close', (code) => resolve({ code, out, err }))
    child.stdin.end(input)
  })
}

const row = (external_id: string, fields: object = {}) =>
  JSON.stringify({ provider: 'stripe', external_id, occurred_at: Date.now(), amount: 1, currency: 'USD', ...fields })

test('a file whose lines are all good is taken whole', async () => {
  const file = join(folder, 'payments.ndjson')
  writeFileSync(file, `${row('a')}\n${row('b')}\n`)
  const result = await touchline(['import', 'payments', '--profile', world.profile, file, '--json'])
  expect(result).toEqual({ code: 0, out: '{"taken":2,"bad":0}\n', err: '' })
  const messages = await world.received(topics.payments, 2)
  expect(messages.map(({ value }) => value.external_id).sort()).toEqual(['a', 'b'])
})

test('bad lines of standard input are reported, the others are taken, and the exit code says so', async () => {
  const input = `${row('c')}\nnot json\n${row('d', { amount: 'ana@example.com' })}`
  const result = await touchline(['import', 'payments', '--profile', world.profile, '-', '--json'], input)
  expect(result).toMatchObject({ code: 1, out: '{"taken":1,"bad":2}\n' })
  expect(result.err).toBe('line 2: row: is not valid JSON\nline 3: amount: must be a decimal number\n')
})

test.each([
  [['import', 'lunches', '--profile', 'x', '-'], /lunches/],
  [['import', 'payments', '-'], /--profile/],
  [['import', 'payments', '--profile', 'x', '-'], /there is no profile x/],
])('%o is refused with a sentence', async (args, sentence) => {
  const { code, err } = await touchline(args)
  expect(code).toBe(1)
  expect(err).toMatch(sentence)
  expect(err).not.toContain('    at ')
})

test('a file that is not there is refused with a sentence', async () => {
  const { code, err } = await touchline(['import', 'payments', '--profile', world.profile, join(folder, 'none')])
  expect(code).toBe(1)
  expect(err).toMatch(/cannot be read/)
})
