import { describe, expect, test } from 'vitest'
import { ids } from '../../domain/ids.ts'

const profile = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

describe('an id of two parts', () => {
  test.each([
    ['payments', ids.payment(profile, 'aud', '1:2'), ids.payment(profile, 'aud:1', '2')],
    ['outcomes of a CRM', ids.crmOutcome(profile, 'a', 'b:c'), ids.crmOutcome(profile, 'a:b', 'c')],
    ['hits', ids.hit(profile, 'v', 'a:b'), ids.hit(profile, 'v:a', 'b')],
    ['a colon and its escape', ids.hit(profile, 'v:', 'a'), ids.hit(profile, 'v%3A', 'a')],
  ])('is never that of two others: %s', (_, one, other) => {
    expect(one).not.toBe(other)
  })
})
