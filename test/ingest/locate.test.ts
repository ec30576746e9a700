import { describe, expect, test } from 'vitest'
import { addressList } from '../../infra/address-list.ts'
import { locator } from '../../ingest/locate.ts'

const isTrustedProxy = addressList('10.0.0.0/8')!
const proxy = { remoteAddress: '10.0.0.1' }
const stranger = { remoteAddress: '203.0.113.7' }
const nowhere = { country: null, city: null }

describe('what a trusted proxy says', () => {
  test.each([
    [
      { 'cf-ipcountry': 'CL', 'cf-ipcity': 'Valpara%C3%ADso' },
      { country: 'CL', city: 'Valparaíso' },
    ],
    [{ 'cloudfront-viewer-country': 'us' }, { country: 'US', city: null }],
    [{ 'x-vercel-ip-country': 'DE' }, { country: 'DE', city: null }],
    [
      { 'x-appengine-country': 'CL', 'x-appengine-city': 'santiago' },
      { country: 'CL', city: 'santiago' },
    ],
    [{ 'x-appengine-country': 'ZZ' }, nowhere],
    [
      { 'x-country-code': 'CL', 'x-city': '%E0%A4' },
      { country: 'CL', city: '%E0%A4' },
    ],
    [{ 'cf-ipcountry': 'XX' }, nowhere],
    [{ 'cf-ipcountry': 'T1' }, nowhere],
    [{ 'cf-ipcountry': 'Chile' }, nowhere],
    [{ 'x-city': 'Santiago' }, nowhere],
    [{}, nowhere],
  ])('%o is %o', (headers, place) => {
    expect(locator({ isTrustedProxy })({ headers, ip: '203.0.113.7', socket: proxy })).toEqual(place)
  })

  test('is not believed of anybody else', () => {
    const locate = locator({ isTrustedProxy })
    expect(locate({ headers: { 'cf-ipcountry': 'CL' }, ip: '203.0.113.7', socket: stranger })).toEqual(nowhere)
    expect(locate({ headers: { 'cf-ipcountry': 'CL' }, ip: '203.0.113.7', socket: {} })).toEqual(nowhere)
  })
})

describe('a database', () => {
  const places = new Map([
    ['203.0.113.7', { country: 'CL', city: 'Arica\u0000' }],
    ['203.0.113.8', { country: 'Chile', city: null }],
  ])
  const locate = locator({ database: (address) => places.get(address) ?? null, isTrustedProxy })
  const headers = { 'cf-ipcountry': 'US' }

  test('comes first', () => {
    expect(locate({ headers, ip: '203.0.113.7', socket: proxy })).toEqual({ country: 'CL', city: 'Arica' })
    expect(locate({ headers, ip: '::ffff:203.0.113.7', socket: proxy })).toEqual({ country: 'CL', city: 'Arica' })
  })

  test('that does not know the address leaves it to the proxy', () => {
    expect(locate({ headers, ip: '198.51.100.1', socket: proxy })).toEqual({ country: 'US', city: null })
    expect(locate({ headers, ip: '203.0.113.8', socket: proxy })).toEqual({ country: 'US', city: null })
    expect(locate({ headers, ip: '198.51.100.1', socket: stranger })).toEqual(nowhere)
  })
})
