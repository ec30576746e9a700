import { noId } from '../domain/ids.ts'

/** In SQL: whose a column is that has no null and names nobody. */
export const nobody = `toUUID('${noId}')`
