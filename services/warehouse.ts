import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectClickhouse, type Warehouse } from '../clickhouse/client.ts'
import { generationDatabase } from '../clickhouse/migrate.ts'
import { liveGeneration } from '../postgres/stores/warehouse.ts'

/** The live generation of the warehouse, followed: a flip reaches every service within two seconds. */
export async function followWarehouse(url: string, postgres: pg.Pool): Promise<Warehouse> {
  let generation = await liveGeneration(postgres)
  const closing = new AbortController()
  const follow = async () => {
    while (!closing.signal.aborted) {
      await sleep(1000, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      generation = await liveGeneration(postgres).catch(() => generation)
    }
  }
  void follow()
  const warehouse = connectClickhouse({ url, database: () => generationDatabase(generation) })
  return {
    ...warehouse,
    close: async () => {
      closing.abort()
      await warehouse.close()
    },
  }
}
