import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { sealEntries } from '../../domain/sealed-person.ts'
import { open, sealingContext } from '../../domain/sealing.ts'

const profile = randomUUID()
const entryOf = (value: string) => ({
  type: 'external_customer_id' as const,
  value,
  token: randomUUID(),
  key: randomBytes(32),
})

test('every value opens under its own key and token, at the first time and at later ones', () => {
  const entries = [entryOf('C-1'), entryOf('C-2')]
  for (let time = 0; time < 3; time++) {
    const { identifiers } = sealEntries(profile, entries, {})
    for (const [at, { token, sealed }] of identifiers.entries()) {
      const opened = open(entries[at]!.key, sealingContext(profile, token, 'value'), sealed)
      expect(opened.toString()).toBe(entries[at]!.value)
    }
  }
})

test('names are sealed anew each time, since they may be others', () => {
  const entry = entryOf('C-1')
  const names = ['Ana', 'Anna', 'Ana'].map((first_name) => sealEntries(profile, [entry], { first_name }).traits!)
  const context = sealingContext(profile, entry.token, 'traits')
  expect(names.map(({ sealed }) => JSON.parse(open(entry.key, context, sealed).toString()).first_name)).toEqual([
    'Ana',
    'Anna',
    'Ana',
  ])
  expect(names[0]!.sealed.equals(names[2]!.sealed)).toBe(false)
})

test('the same value under another key is sealed under that one', () => {
  const [before, after] = [entryOf('C-1'), entryOf('C-1')]
  sealEntries(profile, [before], {})
  const { identifiers } = sealEntries(profile, [after], {})
  const context = sealingContext(profile, after.token, 'value')
  expect(open(after.key, context, identifiers[0]!.sealed).toString()).toBe('C-1')
})
