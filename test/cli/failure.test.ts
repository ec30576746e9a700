import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createProfile, openPostgres } from '../profiles.ts'

const entry = join(import.meta.dirname, '../../cli/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'touchline-failure-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rates = join(folder, 'rates.ndjson')
writeFileSync(rates, '{"date":"2026-11-01","base":"EUR","quote":"USD","rate":"1.1"}\n')

function touchline(args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    // Vitest sets a BASE_URL of its own.
    const options = { env: { ...process.env, BASE_URL: '', ...env } }
    execFile(process.execPath, [entry, ...args], options, (error, _, err) =>
      resolve({ code: error ? Number(error.code) : 0, err }),
    )
  })
}

const nobody = {
  Kafka: { KAFKA_BROKERS: '127.0.0.1:1' },
  ClickHouse: { CLICKHOUSE_URL: 'http://127.0.0.1:1' },
  Postgres: { DATABASE_URL: 'postgres://127.0.0.1:1/touchline' },
}

test.each([
  ['Kafka', ['fx', 'import', rates]],
  ['Kafka', ['migrate']],
  ['Kafka', ['rejected', 'list']],
  ['ClickHouse', ['migrate']],
  ['ClickHouse', ['performers', 'score']],
  ['Postgres', ['migrate']],
  ['Postgres', ['performers', 'score']],
  ['Postgres', ['profiles', 'list']],
  ['Postgres', ['replay', '--yes']],
] as const)('without %s, %o says in one sentence who does not answer', async (engine, args) => {
  const { code, err } = await touchline([...args], nobody[engine])
  expect(code).toBe(1)
  expect(err).toMatch(new RegExp(`^error: ${engine} does not answer\\b.*\\n$`))
})

test.each([
  ['is not there', join(folder, 'none')],
  ['is a folder', folder],
])('a file that %s is refused with one sentence', async (_, file) => {
  const pool = await openPostgres()
  const profile = await createProfile(pool)
  await pool.end()
  const hook = ['hooks', 'create', '--provider', 'stripe', '--profile', profile, '--secret-file', file]
  for (const args of [['fx', 'import', file], ['import', 'payments', '--profile', profile, file], hook]) {
    expect(await touchline(args)).toEqual({ code: 1, err: `error: ${file} cannot be read.\n` })
  }
})
