/** Epoch milliseconds as ClickHouse reads a DateTime64(3) in JSON. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace('T', ' ')
