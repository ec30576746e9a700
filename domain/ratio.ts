/** Null when there is nothing to divide by, or one of both is not known. */
export const ratio = (value: number | null, by: number | null): number | null =>
  value === null || by === null || by === 0 ? null : value / by
