import { InvalidArgumentError } from 'commander'
import type pg from 'pg'
import { loadConfig } from '../infra/config.ts'
import { connectPostgres } from '../postgres/client.ts'

export { UsageError } from './failure.ts'

/** Runs a command against the store. */
export async function withPostgres(work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = connectPostgres(loadConfig().databaseUrl, { max: 2 })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

/** `{"a_key": …}` for programs, aligned lines for people. */
export function print(result: Record<string, unknown>, options: { json?: boolean | undefined }): void {
  if (options.json) {
    console.log(JSON.stringify(result))
    return
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length))
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(width)}  ${value}`)
}

export const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** A parser for commander that refuses with a sentence. */
export const checked =
  (isValid: (text: string) => boolean, expected: string) =>
  (text: string): string => {
    if (!isValid(text)) throw new InvalidArgumentError(expected)
    return text
  }
