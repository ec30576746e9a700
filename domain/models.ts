/** The six attribution models. */
export const models = [
  'last_touch',
  'first_touch',
  'linear',
  'time_decay',
  'last_non_direct',
  'position_based',
] as const
export type Model = (typeof models)[number]

/** Weights are billionths; those of a path sum to exactly this. */
export const wholeWeight = 1_000_000_000

export const levels = ['campaign', 'ad_set', 'ad'] as const
export type Level = (typeof levels)[number]
