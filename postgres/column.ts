/** One column of rows, as `unnest` takes it. */
export const column = <T, V>(rows: Iterable<T>, pick: (row: T) => V) => Array.from(rows, pick)
