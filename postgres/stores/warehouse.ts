import type { Sql } from '../client.ts'

/** How long a process may go on with the generation that it last read. A flip is complete everywhere after this. */
export const warehouseLeaseMs = 5000

/** The live generation of the warehouse. */
export async function liveGeneration(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ live_generation: number }>('SELECT live_generation FROM warehouse')
  return rows[0]!.live_generation
}
