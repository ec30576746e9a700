import { z } from 'zod'

/** A run of many customers is worked off in slices of them, so that what a statement holds in memory is bounded. */
export const sliceParams = z.object({ run: z.uuid(), slice: z.int(), slices: z.int() })

/** The customers of a slice, in any table in hand that names them; by the half of their hash that no run is cut by. */
export const inSlice =
  'run_id = {run:UUID} AND bitShiftRight(cityHash64(customer_id), 32) % {slices:UInt32} = {slice:UInt32}'
