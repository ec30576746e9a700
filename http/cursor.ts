import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from './errors.ts'

/** An opaque place in a list; what it holds is the list's own business. */
export const Cursor = z
  .string()
  .max(500)
  .optional()
  .meta({ description: 'The `pagination.cursor` of the page before; without it the first page is returned.' })

/** A cursor belongs to one list: the parameters that choose and order its rows. */
const listMark = (list: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(list)).digest('base64url').slice(0, 8)

export const encodeCursor = (list: readonly unknown[], place: readonly string[]): string =>
  Buffer.from(JSON.stringify([listMark(list), ...place])).toString('base64url')

/** The place behind a cursor of this very list; anything else is the caller's mistake. */
export function decodeCursor<Place extends readonly string[]>(
  list: readonly unknown[],
  place: z.ZodType<Place>,
  cursor: string,
): Place {
  try {
    const [mark, ...parts] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (mark === listMark(list)) return place.parse(parts)
  } catch {
    // Falls through: whatever was wrong with it, it is not one of ours.
  }
  throw new ApiError('invalid_parameter', 'cursor: must be the cursor of a page with the same other parameters.')
}
