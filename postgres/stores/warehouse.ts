import type { Sql } from '../client.ts'

/** The live generation of the warehouse. */
export async function liveGeneration(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ live_generation: number }>('SELECT live_generation FROM warehouse')
  return rows[0]!.live_generation
}
