import { open } from 'maxmind'
import { ConfigError } from './config.ts'

/** What a database knows of an address; null where it knows nothing. */
export type GeoLookup = (address: string) => { country: string; city: string | null } | null

interface GeoRecord {
  country?: { iso_code?: unknown }
  city?: { names?: { en?: unknown } }
}

/** A file in MaxMind's format with the fields of a City or Country database; held in memory, read once. */
export async function openGeoip(path: string): Promise<GeoLookup> {
  const reader = await open(path).catch((error: Error & { code?: string }) => {
    throw new ConfigError(
      `GEOIP_DATABASE cannot be read (${error.code ?? 'no database in MaxMind’s format'}): ${path}. Give the path of a .mmdb file.`,
    )
  })
  return (address) => {
    try {
      const record = reader.get(address) as GeoRecord | null
      const country = record?.country?.iso_code
      const city = record?.city?.names?.en
      return typeof country === 'string' ? { country, city: typeof city === 'string' ? city : null } : null
    } catch {
      // An address it cannot parse, or a damaged node: no hit is lost over its place.
      return null
    }
  }
}
