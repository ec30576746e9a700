import { expect, test } from 'vitest'
import { gather } from '../../postgres/gather.ts'

test('calls of one moment share a round trip, and each gets the whole finding', async () => {
  const runs: number[][] = []
  const call = gather(async (items: number[]) => {
    runs.push(items)
    return new Set(items)
  })
  const answers = await Promise.all([call([1, 2]), call([3])])
  expect(runs).toEqual([[1, 2, 3]])
  expect(answers[0]).toBe(answers[1])
})

test('what comes while all flights are under way waits, and goes together', async () => {
  const runs: number[][] = []
  const gates: (() => void)[] = []
  const call = gather(
    async (items: number[]) => {
      runs.push(items)
      await new Promise<void>((resolve) => gates.push(resolve))
    },
    { maxFlights: 1 },
  )
  const first = call([1])
  while (gates.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  const later = [call([2]), call([3]), call([4])]
  gates.shift()!()
  await first
  while (gates.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  gates.shift()!()
  await Promise.all(later)
  expect(runs).toEqual([[1], [2, 3, 4]])
})

test('a batch has at most so many items, but never splits a call', async () => {
  const runs: number[][] = []
  const call = gather(async (items: number[]) => void runs.push(items), { maxItems: 3 })
  await Promise.all([call([1, 2]), call([3, 4]), call([5, 6, 7, 8])])
  expect(runs).toEqual([
    [1, 2],
    [3, 4],
    [5, 6, 7, 8],
  ])
})

test('a failure reaches every call of its batch, and the next one works', async () => {
  let isBroken = true
  const call = gather(async (items: number[]) => {
    if (isBroken) throw new Error('away')
    return items.length
  })
  const outcomes = await Promise.allSettled([call([1]), call([2])])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  expect(await call([3])).toBe(1)
})
