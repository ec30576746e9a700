import { expect, test } from 'vitest'
import { engineFailure } from '../../http/engine-failure.ts'
import { within } from '../../postgres/within.ts'

test('an answer in time is the answer, a failure is the failure', async () => {
  expect(await within(10_000, Promise.resolve(7))).toBe(7)
  await expect(within(10_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('what takes too long is an engine that is away', async () => {
  const late = await within(1, new Promise(() => {})).catch((error: unknown) => error)
  expect(engineFailure(late)).toBe('postgres')
})
