import { type Command, InvalidArgumentError } from 'commander'
import type pg from 'pg'
import { loadConfig } from '../infra/config.ts'
import { connectPostgres } from '../postgres/client.ts'

/** A mistake of the person at the terminal: its message is all that is printed. */
export class UsageError extends Error {}

/** Whether Postgres answered, but lacks the tables. */
export const isUnmigrated = (error: unknown): boolean => (error as { code?: unknown }).code === '42P01'
export const unmigrated = 'the database has no tables yet: run "touchline migrate".'

/** Runs a command against the store and says in one sentence what is wrong when it is not there or not ready. */
export async function withPostgres(command: Command, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = connectPostgres(loadConfig().databaseUrl, { max: 2 })
  try {
    await work(pool)
  } catch (error) {
    const { code } = error as { code?: string }
    if (error instanceof UsageError) command.error(`error: ${error.message}`)
    if (isUnmigrated(error)) command.error(`error: ${unmigrated}`)
    if (code === 'ECONNREFUSED') command.error('error: Postgres does not answer: run "make up" or set DATABASE_URL.')
    throw error
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
