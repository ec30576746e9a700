import { createClient } from '@clickhouse/client'
import { generationDatabase } from './migrate.ts'

/** The generations of the warehouse that there are. */
export async function listGenerations(url: string): Promise<number[]> {
  const client = createClient({ url })
  try {
    const result = await client.query({ query: 'SELECT name FROM system.databases', format: 'JSONEachRow' })
    const names = (await result.json<{ name: string }>()).map(({ name }) => name)
    return names.flatMap((name) => /^touchline_g(\d+)$/.exec(name)?.[1] ?? []).map(Number)
  } finally {
    await client.close()
  }
}

export async function dropGeneration(url: string, generation: number): Promise<void> {
  const client = createClient({ url })
  try {
    await client.command({ query: `DROP DATABASE IF EXISTS ${generationDatabase(generation)} SYNC` })
  } finally {
    await client.close()
  }
}
