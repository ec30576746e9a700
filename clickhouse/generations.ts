import { ClickHouseLogLevel, createClient } from '@clickhouse/client'

/** The database of a generation of the warehouse. A full replay fills the next one beside the live one. */
export const generationDatabase = (generation: number): string => `touchline_g${generation}`
const itsNumber = /^touchline_g(\d+)$/

/** The generations of the warehouse that there are. */
export async function listGenerations(url: string): Promise<number[]> {
  const client = createClient({ url, log: { level: ClickHouseLogLevel.OFF } })
  try {
    const result = await client.query({ query: 'SELECT name FROM system.databases', format: 'JSONEachRow' })
    const names = (await result.json<{ name: string }>()).map(({ name }) => name)
    return names.flatMap((name) => itsNumber.exec(name)?.[1] ?? []).map(Number)
  } finally {
    await client.close()
  }
}

export async function dropGeneration(url: string, generation: number): Promise<void> {
  const client = createClient({ url, log: { level: ClickHouseLogLevel.OFF } })
  try {
    await client.command({ query: `DROP DATABASE IF EXISTS ${generationDatabase(generation)} SYNC` })
  } finally {
    await client.close()
  }
}
