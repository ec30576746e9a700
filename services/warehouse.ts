import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectClickhouse, type Warehouse } from '../clickhouse/client.ts'
import { generationDatabase } from '../clickhouse/generations.ts'
import { EngineUnavailable } from '../infra/unavailable.ts'
import { liveGeneration, warehouseLeaseMs } from '../postgres/stores/warehouse.ts'
import { within } from '../postgres/within.ts'

const followMs = 1000

/**
 * The live generation of the warehouse, followed: a flip reaches every service within two seconds. What was read holds
 * for a few seconds only: a service that cannot ask stops using the warehouse instead of writing to an old generation.
 */
export async function followWarehouse(url: string, postgres: pg.Pool): Promise<Warehouse> {
  let confirmedAt = performance.now()
  let generation = await liveGeneration(postgres)
  const closing = new AbortController()
  const follow = async () => {
    while (!closing.signal.aborted) {
      await sleep(followMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      const askedAt = performance.now()
      try {
        generation = await within(warehouseLeaseMs, liveGeneration(postgres))
        confirmedAt = askedAt
      } catch {
        // Asked again in a moment; the lease says how long that may go on.
      }
    }
  }
  void follow()
  const database = () => {
    if (performance.now() - confirmedAt > warehouseLeaseMs) throw new EngineUnavailable('postgres')
    return generationDatabase(generation)
  }
  const warehouse = connectClickhouse({ url, database })
  return {
    ...warehouse,
    close: async () => {
      closing.abort()
      await warehouse.close()
    },
  }
}
