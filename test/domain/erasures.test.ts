import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { erasureSecrets, wordFinder, writtenForms } from '../../domain/erasures.ts'

const identifiers = [
  { type: 'email', value: 'ana@example.com' },
  { type: 'phone', value: '+56987654321' },
  { type: 'national_id', value: '12345678-5' },
  { type: 'external_customer_id', value: 'customer-1001' },
  { type: 'store_customer_id', value: '77' },
] as const
const { isFound, withoutWords } = wordFinder(identifiers.flatMap(writtenForms))
const hash = (name: string, text: string) => createHash(name).update(text).digest('hex')

describe('the search after an erasure', () => {
  it.each([
    ['ana@example.com'],
    ['write to Ana@Example.com, please'],
    ['{"email":"ana@example.com"}'],
    ['https://x.example/?e=ana%40example.com&y=1'],
    ['+56987654321'],
    ['call 56987654321'],
    ['RUT 12345678-5'],
    ['RUT 12.345.678-5.'],
    ['customer-1001'],
    ['mailto:ana@example.com.'],
    ['<tel:+56987654321>'],
    ['https://x.example/?utm_term=a+customer-1001+b'],
    ['https://x.example/?utm_term=a%2Fcustomer-1001%20b'],
    ['call+%2B56987654321'],
    [hash('sha256', 'ana@example.com')],
    [hash('sha256', 'ana@example.com').toUpperCase()],
    [hash('sha1', '56987654321')],
    [hash('sha256', '+56987654321')],
    [hash('md5', 'customer-1001')],
    [hash('sha256', '77')],
  ])('finds %s', (text) => expect(isFound(text)).toBe(true))

  it.each([
    ['juana@example.com'],
    ['ana@example.com2'],
    ['ana@example.com.mx'],
    ['x_ana@example.com'],
    ['other+ana@example.com'],
    ['other%2Bana%40example.com'],
    ['ana.example.com'],
    ['anaXexample.com'],
    ['356987654321'],
    ['569876543210'],
    ['customer-10012'],
    ['my-customer-1001'],
    // Too short to be told from any other number.
    ['77'],
  ])('passes %s', (text) => expect(isFound(text)).toBe(false))

  it.each([
    ['https://shop.cl/u/customer-1001?utm_term=Ana%40Example.com', 'https://shop.cl/u/[erased]?utm_term=[erased]'],
    ['login customer-1001, then ana@example.com.', 'login [erased], then [erased]'],
    ['lead 56987654321', 'lead [erased]'],
    ['?utm_term=a+customer-1001+b&utm_id=%3Acustomer-1001', '?utm_term=a+[erased]+b&utm_id=%3A[erased]'],
    ['juana@example.com and 356987654321', 'juana@example.com and 356987654321'],
    // The sign for kelvin is a k in lower case, and no letter of a word before.
    ['\u212aeep customer-1001', '\u212aeep [erased]'],
    ['', ''],
  ])('leaves a mark where it found something: %s', (text, rest) => expect(withoutWords(text)).toBe(rest))

  it('leaves nothing of a text in which letters hide a word', () => {
    expect(wordFinder(['kunde-100100']).withoutWords('go \u212aunde-100100 go')).toBe('[erased]')
  })

  it('opens what it seals, for that erasure alone', () => {
    const secrets = erasureSecrets(randomBytes(32))
    const person = { customerIds: ['c'], tokens: ['t'], identifiers: [...identifiers] }
    const sealed = secrets.sealSearch('a', person)
    expect(secrets.openSearch('a', sealed)).toEqual(person)
    expect(() => secrets.openSearch('b', sealed)).toThrow()
  })

  it('hashes a selector for receipts otherwise than the vault does', () => {
    const secrets = erasureSecrets(randomBytes(32))
    const [email] = identifiers
    expect(secrets.selectorHash('p', email)).not.toEqual(secrets.vaultHash('p', email))
  })
})
