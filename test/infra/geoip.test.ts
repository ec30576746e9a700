import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../infra/config.ts'
import { openGeoip } from '../../infra/geoip.ts'
import { writeMmdb } from './write-mmdb.ts'

const folder = mkdtempSync(join(tmpdir(), 'geoip-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string) => join(folder, name)

writeMmdb(file('city.mmdb'), {
  '203.0.113.0/24': { country: { iso_code: 'CL' }, city: { names: { en: 'Valparaíso', es: 'Valpo' } } },
  '198.51.100.0/25': { country: { iso_code: 'US' } },
  '2001:db8::/32': { country: { iso_code: 'DE' }, city: { names: { en: 'Berlin' } } },
  '192.0.2.0/24': { autonomous_system_number: 64_500 },
})

describe('a database', async () => {
  const lookup = await openGeoip(file('city.mmdb'))

  test.each([
    ['203.0.113.7', { country: 'CL', city: 'Valparaíso' }],
    ['198.51.100.1', { country: 'US', city: null }],
    ['198.51.100.200', null],
    ['2001:db8:1::2', { country: 'DE', city: 'Berlin' }],
    ['192.0.2.1', null],
    ['10.0.0.1', null],
    ['not an address', null],
    ['', null],
  ])('says of %s: %o', (address, place) => {
    expect(lookup(address)).toEqual(place)
  })
})

describe('a file that is no database stops the start with one sentence', () => {
  test.each([
    ['is missing', 'missing.mmdb', () => {}],
    ['is empty', 'empty.mmdb', () => writeFileSync(file('empty.mmdb'), '')],
    ['is text', 'text.mmdb', () => writeFileSync(file('text.mmdb'), 'country,CL\n')],
    [
      'is cut short',
      'cut.mmdb',
      () => writeFileSync(file('cut.mmdb'), readFileSync(file('city.mmdb')).subarray(0, 400)),
    ],
  ])('when it %s', async (_why, name, write) => {
    write()
    const error = await openGeoip(file(name)).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).toMatch(
      /^GEOIP_DATABASE cannot be read \(.+\): .+\. Give the path of a \.mmdb file\.$/,
    )
  })
})
