import type { z } from 'zod'

/** A statement is one file: a name for logs and metrics, the parameters it binds, its SQL. */
export interface Statement<Params extends z.ZodObject> {
  name: string
  params: Params
  sql: string
}

/** A query is a statement that answers rows. */
export interface Query<Params extends z.ZodObject, Row extends z.ZodType> extends Statement<Params> {
  row: Row
}

export const statement = <Params extends z.ZodObject>(definition: Statement<Params>) => definition

export const query = <Params extends z.ZodObject, Row extends z.ZodType>(definition: Query<Params, Row>) => definition

/** So many ids one parameter holds: a server takes no field of more than 128 KiB, and an id in a list is 39 letters. */
export const mostIds = 3_000

/** A list in parts that one parameter holds. */
export function* inParts<T>(list: readonly T[], size = mostIds): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

/** Ends a look-up by key: it reads a few granules, and a second thread costs more than it would read. */
export const lookUp = 'SETTINGS max_threads = 1'
