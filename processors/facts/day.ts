/** Epoch days as ClickHouse reads a Date. */
export const day = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10)
