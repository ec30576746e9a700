import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { collectMarks, countMarks } from '../../../processors/replay/marks.ts'
import { topics } from '../../../schemas/topics.ts'

it('keeps dirty marks from the live topic and hands them over once', async () => {
  const marks = collectMarks()
  await marks.producer.send(topics.dirtyCustomers, [
    { profile_id: 'p', subject_ids: ['a', 'b'] },
    { profile_id: 'p', subject_ids: ['b'] },
    { profile_id: 'q', subject_ids: [] },
    { profile_id: 'q', subject_ids: ['a'] },
  ])
  await marks.producer.send(topics.rejected, [{ topic: 'visits' } as never])
  expect(marks.take()).toEqual(
    new Map<string, unknown>([
      ['p', new Set(['a', 'b'])],
      ['q', 'all'],
    ]),
  )
  expect(countMarks(marks.take())).toBe(0)
})

it('takes a profile whole when so many of its subjects are dirty that they should not be held', () => {
  const marks = collectMarks()
  for (let i = 0; i < 30; i++)
    marks.mark(
      'p',
      Array.from({ length: 2000 }, () => randomUUID()),
    )
  expect(marks.take().get('p')).toBe('all')
})
