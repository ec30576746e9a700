import { isUuid } from '../domain/ids.ts'

/** The id of a request as it may be stored. A caller may choose it, and a text of its choice could name somebody. */
export const storedRequestId = ({ id }: { id: string }): string | null => (isUuid(id) ? id : null)
