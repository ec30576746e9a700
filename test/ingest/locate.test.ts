import { expect, test } from 'vitest'
import { locateByProxyHeaders, locateNowhere } from '../../ingest/locate.ts'

test.each([
  [
    { 'cf-ipcountry': 'CL', 'cf-ipcity': 'Valpara%C3%ADso' },
    { country: 'CL', city: 'Valparaíso' },
  ],
  [{ 'cloudfront-viewer-country': 'us' }, { country: 'US', city: null }],
  [
    { 'x-country-code': 'CL', 'x-city': '%E0%A4' },
    { country: 'CL', city: '%E0%A4' },
  ],
  [{ 'cf-ipcountry': 'XX' }, { country: null, city: null }],
  [{ 'cf-ipcountry': 'T1' }, { country: null, city: null }],
  [{ 'cf-ipcountry': 'Chile' }, { country: null, city: null }],
  [{ 'x-city': 'Santiago' }, { country: null, city: null }],
  [{}, { country: null, city: null }],
])('%o is %o', (headers, place) => {
  expect(locateByProxyHeaders({ headers, ip: '203.0.113.7' })).toEqual(place)
})

test('without a trusted proxy its headers say nothing', () => {
  expect(locateNowhere({ headers: { 'cf-ipcountry': 'CL' }, ip: '203.0.113.7' })).toEqual({ country: null, city: null })
})
