/** A string literal of ClickHouse's SQL. */
export const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

export const quoteName = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``
