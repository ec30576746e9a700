/** Chance that can be repeated: the same seed and name give the same draws, on every machine. */
export interface Random {
  /** At least `from`, less than `to`. */
  between(from: number, to: number): number
  /** A whole number, both ends included. */
  whole(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  weighted<T>(from: readonly (readonly [T, number])[]): T
  /** Waiting times: many short ones, few long ones. */
  exponential(mean: number): number
  shuffle<T>(items: readonly T[]): T[]
}

export function seeded(seed: number, name: string): Random {
  let state = hash(`${seed}:${name}`)
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    between: (from, to) => from + next() * (to - from),
    whole,
    chance: (probability) => next() < probability,
    pick: (from) => from[whole(0, from.length - 1)]!,
    weighted(from) {
      let left = next() * from.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of from) {
        left -= weight
        if (left < 0) return item
      }
      return from.at(-1)![0]
    },
    exponential: (mean) => -Math.log(1 - next()) * mean,
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = whole(0, last)
        ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
      }
      return shuffled
    },
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value
}
