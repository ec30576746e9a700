import { describe, expect, test } from 'vitest'
import { knownClickIds, reduceReferrer, reduceUrl } from '../../domain/click.ts'

test('of an address its scheme, host, path and the listed query stay', () => {
  const click = reduceUrl(
    'https://user:secret@Shop.Example.com:8443/a/b?utm_source=Meta&utm_medium=cpc&utm_campaign=Spring%20Sale&utm_id=77' +
      '&utm_content=c1&utm_term=t1&gclid=Cj0_-x.y&svc_campaign_id=1201&svc_ad_set_id=1202&svc_ad_id=1203' +
      '&email=ana@example.com&svc_t=secret-token&q=free#fragment',
  )
  expect(click).toEqual({
    url:
      'https://shop.example.com:8443/a/b?utm_source=Meta&utm_medium=cpc&utm_campaign=Spring+Sale&utm_id=77' +
      '&utm_content=c1&utm_term=t1&gclid=Cj0_-x.y&svc_campaign_id=1201&svc_ad_set_id=1202&svc_ad_id=1203',
    path: '/a/b',
    utm: { source: 'Meta', medium: 'cpc', campaign: 'Spring Sale', id: '77', content: 'c1', term: 't1' },
    clickIds: { gclid: 'Cj0_-x.y' },
    campaignRef: '1201',
    adSetRef: '1202',
    adRef: '1203',
  })
})

describe('no person stays in a path', () => {
  test.each([
    ['/u/ana@example.com/orders', '/u/:email/orders'],
    ['/u/ana%40example.com', '/u/:email'],
    ['/u/ana%2540example.com', '/u/:email'],
    ['/u/100%-ana%40example.com', '/u/:email'],
    ['/u/+56987654321', '/u/:phone'],
    ['/u/%2B56%209%208765%204321', '/u/:phone'],
    ['/u/987654321', '/u/:phone'],
    ['/u/12.345.678-5', '/u/:phone'],
    ['/u/6824160-k', '/u/:national_id'],
    ['/p/12345', '/p/12345'],
    ['/blog/2024-01-15/x', '/blog/2024-01-15/x'],
    ['/p/1234567890123456', '/p/1234567890123456'],
    ['/caf%C3%A9/%E0%A4', '/caf%C3%A9/%E0%A4'],
  ])('%s is kept as %s', (path, kept) => {
    expect(reduceUrl(`https://example.com${path}`).path).toBe(kept)
  })
})

describe('no person stays in a path because the cut goes through it', () => {
  test.each([
    ['an e-mail address', `/${'x'.repeat(1015)}ana@example.com`],
    ['one far behind the cut', `/${'x'.repeat(50_000)}ana@example.com`],
    ['one that is escaped', `/${'x'.repeat(1015)}ana%40example.com`],
    ['one with escapes that the cut would break', `/ana%40example.com${'%C3%A9'.repeat(400)}`],
    ['a phone', `/${'%20'.repeat(340)}987654321`],
  ])('%s', (_, path) => {
    expect(reduceUrl(`https://example.com${path}`).path).toMatch(/^\/:(email|phone)$/)
    expect(reduceUrl(`https://example.com${'/a'.repeat(508)}${path}`).path).toMatch(/^(\/a){508}\/:(email|phone)$/)
  })
})

// Text of this size ends within the test's time only where each of its parts is looked at once.
describe('an address that is larger than any', () => {
  const size = 40_000_000
  test.each([
    ['of digits', '1'.repeat(1023)],
    ['of escapes', '%31'.repeat(341)],
    ['of halves of e-mail addresses', `${'a'.repeat(1022)}@`],
    ['of empty parts', ''],
  ])('%s is reduced', (_, part) => {
    const path = `/${part}`.repeat(size / (part.length + 1))
    expect(reduceUrl(`https://example.com${path}`).path).toBe(path.slice(0, 1024).replace(/%3?$/, ''))
  })

  test('is reduced when it is one part', () => {
    expect(reduceUrl(`https://example.com/${'a'.repeat(size)}@`).path!.length).toBe(1024)
    expect(reduceReferrer(`https://example.com/${'a@'.repeat(size / 2)}`)!.length).toBe(1024 + 19)
  })
})

describe('no person stays in a tag', () => {
  test.each(['ana@example.com', '%2B56987654321', 'x'.repeat(0)])('%s is cut', (value) => {
    const click = reduceUrl(`https://example.com/?utm_content=${value}&utm_source=news`)
    expect(click.utm).toEqual({ source: 'news' })
    expect(click.url).toBe('https://example.com/?utm_source=news')
  })
})

test('a tag that an e-mail address makes longer than a tag is cut', () => {
  expect(reduceUrl(`https://example.com/?utm_term=${'t'.repeat(250)}ana@example.com`).utm).toEqual({})
  expect(reduceUrl('https://example.com/?utm_term=ana%2540example.com&utm_content=%252B56987654321').utm).toEqual({})
})

test('the first of several values counts, whatever its case', () => {
  expect(reduceUrl('https://example.com/?UTM_SOURCE=a&utm_source=b').utm).toEqual({ source: 'a' })
})

test('an address of 64 KB is trimmed: the path is cut, the listed query stays', () => {
  const click = reduceUrl(
    `https://example.com/${'é/'.repeat(16_000)}?junk=${'y'.repeat(32_000)}&utm_source=meta&svc_ad_id=9`,
  )
  expect(click.path!.length).toBeLessThanOrEqual(1024)
  expect(() => decodeURIComponent(click.path!)).not.toThrow()
  expect(click.url!.endsWith('?utm_source=meta&svc_ad_id=9')).toBe(true)
  expect(click.adRef).toBe('9')
})

test('tags are cut at 256 characters, click ids that are longer than 512 or not ids are dropped', () => {
  const click = reduceUrl(
    `https://example.com/?utm_term=${'t'.repeat(300)}&gclid=${'g'.repeat(513)}&fbclid=a%20b&ttclid=E.C.P`,
  )
  expect(click.utm.term!.length).toBe(256)
  expect(click.clickIds).toEqual({ ttclid: 'E.C.P' })
})

test('lone surrogates and control characters do not survive', () => {
  const click = reduceUrl('https://example.com/a\ud800?utm_source=\udfffb%0Ac')
  expect(click.url!.isWellFormed()).toBe(true)
  expect(click.utm.source).toBe('\ufffdb c')
})

test.each(['', 'not a url', 'javascript:alert(1)', 'file:///etc/passwd', 'mailto:ana@example.com', '/relative'])(
  '%s is no address of a page',
  (raw) => {
    expect(reduceUrl(raw).url).toBeNull()
  },
)

test.each([
  ['https://www.google.com/search?q=ana+perez#x', 'https://www.google.com/search'],
  ['android-app://com.google.android.gm/', 'android-app://com.google.android.gm/'],
  ['https://mail.example.com/u/ana@example.com', 'https://mail.example.com/u/:email'],
  ['about:client', null],
  ['', null],
])('of the referrer %s stays %s', (raw, kept) => {
  expect(reduceReferrer(raw)).toBe(kept)
})

test('of the click ids a server sends the known ones stay', () => {
  expect(
    knownClickIds({ gclid: ' abc ', ctwa_clid: 'x_1', email: 'ana@example.com', fbclid: 7, ttclid: 'a b' }),
  ).toEqual({
    gclid: 'abc',
    ctwa_clid: 'x_1',
  })
})

test('names that every object has are no parameters of ours', () => {
  const click = reduceUrl('https://example.com/?constructor=4711&__proto__=ana&hasOwnProperty=x&utm_source=a')
  expect(click.url).toBe('https://example.com/?utm_source=a')
  expect(Object.keys(click).sort()).toEqual(['adRef', 'adSetRef', 'campaignRef', 'clickIds', 'path', 'url', 'utm'])
  expect(knownClickIds(JSON.parse('{"__proto__":{"gclid":"x"},"constructor":"y"}'))).toEqual({})
})
