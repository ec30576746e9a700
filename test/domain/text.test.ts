import { describe, expect, it } from 'vitest'
import { hasEmail, hasPerson } from '../../domain/text.ts'

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

describe('an e-mail address', () => {
  it.each([
    ['a@b.cl', true],
    ['(ana@example.com)', true],
    ['@example.com', false],
    ['ana@example', false],
    ['ana@example.c', false],
    ['ana@.com', false],
    ['ana@a..', false],
    ['ana@a...', true],
    ['ana@ example.com', false],
    ['a@b@example.com', true],
    ['ana/@example.com', false],
    ['at 10:30 @ the shop.cl', false],
  ])('is in %s: %s', (text, expected) => expect(hasEmail(text)).toBe(expected))

  // Text of this size ends within the test's time only where each of its parts is looked at once.
  it.each([
    ['a'.repeat(4_000_000), '@'],
    ['a', '@'.repeat(4_000_000)],
    ['a@b'.repeat(1_000_000), ''],
    ['a@', '.'.repeat(2)],
    [`a@${'b'.repeat(4_000_000)}`, '.c'],
    ['a@.c '.repeat(1_000_000), ''],
  ])('is looked for once in a text of any length', (start, end) => expect(hasEmail(start + end)).toBe(false))
})
