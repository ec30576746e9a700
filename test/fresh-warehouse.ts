import { randomBytes } from 'node:crypto'
import { createClient } from '@clickhouse/client'
import { connectClickhouse, type Warehouse } from '../clickhouse/client.ts'
import { migrateClickhouse } from '../clickhouse/migrate.ts'
import { loadConfig } from '../infra/config.ts'

// Vitest sets a BASE_URL of its own.
const config = loadConfig({ ...process.env, BASE_URL: '' })

export interface FreshWarehouse extends Warehouse {
  name: string
  /** Rows of any SELECT, as the engine prints them. */
  rows<Row>(sql: string): Promise<Row[]>
  drop(): Promise<void>
}

/** A migrated database of its own in the shared ClickHouse. */
export async function freshWarehouse(): Promise<FreshWarehouse> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await migrateClickhouse(config.clickhouseUrl, name)
  const warehouse = connectClickhouse({ url: config.clickhouseUrl, database: () => name })
  const client = createClient({ url: config.clickhouseUrl, database: name })
  return {
    ...warehouse,
    name,
    rows: async <Row>(sql: string) => (await client.query({ query: sql, format: 'JSONEachRow' })).json<Row>(),
    drop: async () => {
      await client.command({ query: `DROP DATABASE ${name}` })
      await client.close()
      await warehouse.close()
    },
  }
}
