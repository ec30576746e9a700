/**
 * The percentile rank, 0 to 100, of a value among these: the share of lower ones and half of the equal ones. Whoever is
 * alone, or equal to all, is in the middle.
 */
export function percentileRanks(values: readonly number[]): (value: number) => number {
  const sorted = Float64Array.from(values).sort()
  const countBelow = (isBelow: (value: number) => boolean) => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (isBelow(sorted[middle]!)) from = middle + 1
      else to = middle
    }
    return from
  }
  return (value) => {
    const lower = countBelow((other) => other < value)
    const notHigher = countBelow((other) => other <= value)
    return (100 * (lower + notHigher)) / 2 / sorted.length
  }
}
