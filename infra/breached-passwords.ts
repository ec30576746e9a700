import { readFileSync } from 'node:fs'
import { join } from 'node:path'

let known: ReadonlySet<string> | undefined

function load(): ReadonlySet<string> {
  const text = readFileSync(join(import.meta.dirname, 'breached-passwords.txt'), 'utf8')
  return new Set(text.split('\n').filter((line) => line !== '' && !/^#( |$)/.test(line)))
}

/** Whether the password is among those that attackers try first, whatever its case. The list is read once, on demand. */
export function isBreached(password: string): boolean {
  known ??= load()
  return known.has(password.normalize('NFKC').toLowerCase())
}
