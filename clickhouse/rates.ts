import { oldestRateDays, rateUnit } from '../domain/fx.ts'

/** Whether a rate holds on a day: not older than a rate may be. */
export const isRated = (day: string, rate: string): string =>
  `${rate}.minor_rate > 0 AND ${day} - ${rate}.date <= ${oldestRateDays}`

/** `atRate` of domain/fx.ts in SQL. */
export const atRate = (minor: string, rate: string): string =>
  `toInt64(intDiv(toInt128(${minor}) * ${rate}.minor_rate + ${rateUnit / 2n}, toInt128(${rateUnit})))`
