import { z } from 'zod'
import { wholeWeight } from '../../../domain/models.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'

const whole = BigInt(wholeWeight)

/** Credit is minor units times billionths; it is divided here, once, half away from zero. */
export function creditMinor(credit: bigint): bigint {
  const rounded = ((credit < 0n ? -credit : credit) + whole / 2n) / whole
  return credit < 0n ? -rounded : rounded
}

export const creditValue = (credit: bigint, currency: string) => fromMinorAsNumber(creditMinor(credit), currency)

/** Nothing is worked out of a spend of which a part could not be converted. */
export const knownSpend = (row: { unrated_days: number }, spend: number): number | null =>
  row.unrated_days > 0 ? null : spend

export const Outcomes = {
  outcome_count: z.int().meta({ description: 'Cash conversions credited under the model.' }),
  outcome_count_first_payment: z.int().meta({
    description: 'Of these, first payments: a deposit and its balance count once, where the first is credited.',
  }),
  outcome_value: z.number().meta({ description: 'Credited cash, refunds subtracted, in the reporting currency.' }),
  attributed_outcome_count: z.int().meta({ description: 'Conversions of every kind credited under the model.' }),
  attributed_outcomes_by_type: z
    .record(z.string(), z.int())
    .meta({ description: 'The same, split by conversion type; a type with nothing credited is absent.' }),
}

export function outcomeFigures(
  row: { cash_count: number; first_payment_count: number; cash_value: bigint; counts_by_type: Record<string, number> },
  currency: string,
) {
  const byType = Object.fromEntries(Object.entries(row.counts_by_type).filter(([, count]) => count > 0))
  return {
    outcome_count: row.cash_count,
    outcome_count_first_payment: row.first_payment_count,
    outcome_value: creditValue(row.cash_value, currency),
    attributed_outcome_count: Object.values(byType).reduce((sum, count) => sum + count, 0),
    attributed_outcomes_by_type: byType,
  }
}
