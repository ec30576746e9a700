import { dayMs } from '../../domain/time.ts'

/** Epoch days as ClickHouse reads a Date. */
export const day = (days: number): string => new Date(days * dayMs).toISOString().slice(0, 10)
