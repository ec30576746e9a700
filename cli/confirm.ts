import { createInterface } from 'node:readline/promises'
import { UsageError } from './with-postgres.ts'

/** Asks the person at the terminal; where there is none, only `--yes` is a yes. */
export async function confirm(question: string, options: { yes?: boolean } = {}): Promise<boolean> {
  if (options.yes) return true
  if (!process.stdin.isTTY) throw new UsageError('nothing was changed: add --yes to go on.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}
