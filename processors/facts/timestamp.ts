/** Epoch milliseconds as ClickHouse reads a DateTime64(3). */
export const timestamp = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace('T', ' ')

/** Epoch days as ClickHouse reads a Date. */
export const day = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10)
