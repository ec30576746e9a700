import type { Stage } from './stage.ts'

/** A figure and what bounds it, measured one after the other: a slower machine moves both. */
export interface Pair {
  value: number
  limit: number
}

export interface Figure {
  name: string
  unit: string
  /** What its limit is: a physical bound or a peer. */
  beside: string
  target: Target
}

export interface Target {
  /** The figure by its limit, or the figure itself. */
  of: 'ratio' | 'value'
  is: 'at least' | 'at most'
  bound: number
}

/** One line of the table: its figures, and how one round measures all of them. */
export interface Line {
  name: string
  figures: Figure[]
  /** Sets up what every round needs; a round gives one pair a figure, in their order. */
  open(stage: Stage): Promise<{ measure(): Promise<Pair[]>; close?(): Promise<void> }>
  /** How often it is measured; the median counts. */
  rounds?: number
}

export interface Result extends Figure, Pair {
  line: string
  ratio: number
  isMet: boolean
  rounds: Pair[]
}

export const ratioAtLeast = (bound: number): Target => ({ of: 'ratio', is: 'at least', bound })
export const ratioAtMost = (bound: number): Target => ({ of: 'ratio', is: 'at most', bound })
export const valueAtMost = (bound: number): Target => ({ of: 'value', is: 'at most', bound })

export function resultOf(line: string, figure: Figure, rounds: Pair[]): Result {
  const value = median(rounds.map((round) => round.value))
  const limit = median(rounds.map((round) => round.limit))
  const ratio = value / limit
  const { of, is, bound } = figure.target
  const measured = of === 'ratio' ? ratio : value
  return {
    line,
    ...figure,
    value,
    limit,
    ratio,
    isMet: is === 'at least' ? measured >= bound : measured <= bound,
    rounds,
  }
}

/** Not a number without values. */
export function median(values: number[]): number {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}
