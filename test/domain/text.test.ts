import { describe, expect, it } from 'vitest'
import { hasPerson } from '../../domain/text.ts'

describe('a name of an event', () => {
  it.each([
    ['login ana@example.com'],
    ['call +56933334444'],
    ['lead 56933334444'],
    ['lead:56933334444'],
    ['rut 12.345.678-5'],
    ['12345678-5'],
  ])('names a person: %s', (name) => expect(hasPerson(name)).toBe(true))

  it.each([
    ['page_view'],
    ['order 1234567890'],
    ['campaign 120210000000000'],
    ['checkout +1'],
    ['2026-11-14 08:00:00'],
    ['v1.2.3-4'],
    ['12.345.678-9'],
    ['56912345'],
    ['at 1767225600000'],
  ])('names nobody: %s', (name) => expect(hasPerson(name)).toBe(false))
})
