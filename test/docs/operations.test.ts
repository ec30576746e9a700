import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settingNames } from '../../infra/config.ts'

it('names every setting of the services, and no other', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const section = page.split('\n## ').find((text) => text.startsWith('Settings'))!
  const named = [...section.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(settingNames.toSorted())
})
