/** Texts of ours as SQL: `'a', 'b'`. */
export const sqlList = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')
