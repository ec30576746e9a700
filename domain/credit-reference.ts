import { type Model, wholeWeight } from './models.ts'
import { dayMs } from './time.ts'

export interface PathTouch {
  timeMs: number
  id: string
  isDirect: boolean
}

const halfLifeMs = 7 * dayMs
const mostTouches = 500

/**
 * The models in plain words, for tests and documentation: the warehouse's SQL is held against it.
 * Takes the touches of a customer in any order and returns those in the window, in order, with their weights.
 */
export function creditReference(touches: PathTouch[], conversionMs: number, windowDays: number, model: Model) {
  const path = touches
    .filter((touch) => touch.timeMs <= conversionMs && touch.timeMs >= conversionMs - windowDays * dayMs)
    .sort((x, y) => x.timeMs - y.timeMs || (x.id < y.id ? -1 : 1))
    .slice(-mostTouches)
  return { path, weights: path.length === 0 ? [] : models[model](path) }
}

const models: Record<Model, (path: PathTouch[]) => number[]> = {
  last_touch: (path) => allTo(path, path.length - 1),
  first_touch: (path) => allTo(path, 0),
  last_non_direct: (path) => {
    const index = path.findLastIndex((touch) => !touch.isDirect)
    return allTo(path, index === -1 ? path.length - 1 : index)
  },
  linear: (path) => restToLast(path.map(() => Math.floor(wholeWeight / path.length))),
  time_decay: (path) => {
    const last = path.at(-1)!.timeMs
    const decays = path.map((touch) => BigInt(Math.round(2 ** ((touch.timeMs - last) / halfLifeMs) * wholeWeight)))
    const sum = decays.reduce((total, decay) => total + decay, 0n)
    return restToLast(decays.map((decay) => Number((decay * BigInt(wholeWeight)) / sum)))
  },
  position_based: (path) => {
    if (path.length === 1) return [wholeWeight]
    if (path.length === 2) return [wholeWeight / 2, wholeWeight / 2]
    const middle = Math.floor((wholeWeight * 0.2) / (path.length - 2))
    return restToLast(path.map((_, index) => (index === 0 ? wholeWeight * 0.4 : index < path.length - 1 ? middle : 0)))
  },
}

const allTo = (path: PathTouch[], index: number) => path.map((_, i) => (i === index ? wholeWeight : 0))

/** The remainder of a division goes to the last touch. */
function restToLast(weights: number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.with(-1, weights.at(-1)! + wholeWeight - sum)
}
