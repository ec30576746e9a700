import { z } from 'zod'
import { levels, models } from '../domain/models.ts'
import { dayMs } from '../domain/time.ts'
import type { ErrorCode } from './errors.ts'

/** The code that a field's failure answers with, where it is not its place's general one. */
export const fieldErrors = z.registry<{ code: ErrorCode }>()

/** Wraps a field last, after `.optional()` or `.default()`: `amount: failsAs('amount_invalid', Money)`. */
export function failsAs<Schema extends z.ZodType>(code: ErrorCode, schema: Schema): Schema {
  fieldErrors.add(schema, { code })
  return schema
}

export const longestSpanDays = 366
/** Days that the warehouse can tell apart; it takes any other for the nearest of them. */
const [firstDay, lastDay] = ['1971-01-01', '2148-12-31']

/** A real calendar day, `YYYY-MM-DD`. */
export const Day = z.iso.date().meta({ examples: ['2026-03-31'] })

const rangeDay = (side: string) =>
  failsAs(
    'invalid_date_range',
    z.iso.date({ error: () => `must be a real day, YYYY-MM-DD (${side} day of the range, required)` }).meta({
      description: `The ${side} day, in the profile's time zone.`,
      examples: [side === 'first' ? '2026-03-01' : '2026-03-31'],
    }),
  )

/** Both days are required and inclusive; at most 366 of them. Extend it with further query parameters. */
export const DateRange = z
  .object({ date_from: rangeDay('first'), date_to: rangeDay('last') })
  .superRefine(({ date_from, date_to }, context) => {
    if (date_from < firstDay) context.addIssue({ code: 'custom', path: ['date_from'], message: 'is too long ago' })
    if (date_to > lastDay) context.addIssue({ code: 'custom', path: ['date_to'], message: 'is too far ahead' })
    const span = (Date.parse(date_to) - Date.parse(date_from)) / dayMs + 1
    if (span < 1) context.addIssue({ code: 'custom', path: ['date_from'], message: 'must not be after date_to' })
    if (span > longestSpanDays) {
      const message = `and date_to span ${span} days; at most ${longestSpanDays} are possible`
      context.addIssue({ code: 'custom', path: ['date_from'], message })
    }
  })

// Query strings carry text; anything but plain digits stays text and fails the integer check.
const digits = (value: unknown) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value)

/** A page size: outside 1 to `max` is an error, never clamped. */
export const limit = ({ default: size, max, min = 1 }: { default: number; max: number; min?: number }) =>
  z
    .preprocess(digits, z.int().min(min).max(max))
    .default(size)
    .meta({ description: `Rows, ${min} to ${max}.`, default: size })

export const offset = () =>
  z.preprocess(digits, z.int().min(0).max(1_000_000)).default(0).meta({ description: 'Rows to skip.', default: 0 })

export const Model = z.enum(models).meta({ description: 'The attribution model.' })
export type Model = z.infer<typeof Model>

export const Level = z.enum(levels).meta({ description: 'The kind of entity of a row.' })
export type Level = z.infer<typeof Level>
