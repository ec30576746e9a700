type Element = string | number | boolean | null

/**
 * One column of rows, as `unnest` takes it: the text of an array. The driver would make the same of an array, and takes
 * several times as long to look at what each element might be.
 */
export function column<T>(rows: Iterable<T>, pick: (row: T) => Element): string {
  let text = ''
  for (const row of rows) text += `,${element(pick(row))}`
  return `{${text.slice(1)}}`
}

const special = /["\\]/g

function element(value: Element): string {
  if (value === null) return 'NULL'
  return typeof value === 'string' ? `"${value.replace(special, '\\$&')}"` : String(value)
}
