import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainPairs, readPlainAddress } from '../../domain/plain-address.ts'

const oneOf = (...texts: string[]) => fc.constantFrom(...texts)
const word = fc.string({ unit: oneOf(...'abcXYZ019._~-*+%&=@:;,!$\'()[]{}|^`"<>\\ \t\né漢'), maxLength: 8 })
const host = fc.oneof(
  oneOf('shop.example', 'WWW.Shop.example', 'xn--bcher-kva.example', 'xn--a.example', 'bücher.example', 'localhost'),
  oneOf('10.0.0.1', '1.2.3', '0x7f.1', '[::1]', 'a.b', '-a-.example', 'a..example', '.example.com', 'example.com.'),
  oneOf('shop.example:80', 'shop.example:443', 'shop.example:8080', 'u:p@shop.example', 'a_b.example', 'a--b.example'),
  fc.string({ unit: oneOf(...'abxn01.-'), minLength: 1, maxLength: 12 }),
)
const path = fc.array(fc.oneof(word, oneOf('.', '..', '%2e', '...', '', 'p', '12345')), { maxLength: 4 })
const query = fc.array(fc.tuple(fc.oneof(oneOf('utm_source', 'gclid', 'q'), word), word), { maxLength: 4 })
const address = fc
  .tuple(
    oneOf('https', 'http', 'HTTPS', 'ftp', 'android-app'),
    host,
    path,
    query,
    fc.option(word),
    oneOf('', ' ', '\n'),
  )
  .map(([scheme, name, segments, pairs, hash, end]) => {
    const search = pairs.map(([key, value]) => `${key}=${value}`).join('&')
    const way = segments.length > 0 ? `/${segments.join('/')}` : ''
    return `${scheme}://${name}${way}${search && '?'}${search}${hash === null ? '' : `#${hash}`}${end}`
  })

describe('a plain address', () => {
  it('is read as a parser reads it, or not at all', () => {
    fc.assert(
      fc.property(address, (raw) => {
        const plain = readPlainAddress(raw)
        if (!plain) return
        const parsed = new URL(raw)
        expect(plain).toMatchObject({ protocol: parsed.protocol, host: parsed.host, pathname: parsed.pathname })
        if (plain.query === undefined) return
        expect(plainPairs(plain.query)).toEqual([...parsed.searchParams])
        expect(new URLSearchParams(plainPairs(plain.query)).toString()).toBe(
          plainPairs(plain.query)
            .map(([name, value]) => `${name}=${value}`)
            .join('&'),
        )
      }),
      { numRuns: 20_000 },
    )
  })

  it.each([
    'https://shop.example/p/12?utm_source=google&utm_medium=cpc',
    'http://www.shop-one.example',
    'https://shop.example/?gclid=Cj0K.x-y_z*#top',
    'https://shop.example/a/b.html?',
  ])('%s is one', (raw) => {
    const parsed = new URL(raw)
    expect(readPlainAddress(raw)).toEqual({
      protocol: parsed.protocol,
      host: parsed.host,
      pathname: parsed.pathname,
      query: parsed.search.slice(1),
    })
  })

  it.each(['https://10.0.0.1/', 'https://shop.example/a/../b', 'https://xn--a.example/', 'https://u@shop.example/'])(
    '%s is left to a parser',
    (raw) => expect(readPlainAddress(raw)).toBeUndefined(),
  )
})
