import { expect, it } from 'vitest'
import { rawPipelines } from '../../../processors/raw-pipelines.ts'
import { feedGroups } from '../../../processors/replay/feed.ts'
import { topics } from '../../../schemas/topics.ts'

it('reads every topic that is kept for ever, so that nothing is missing after a replay', () => {
  const read = rawPipelines({ identity: {}, stages: {} } as never).map(({ topic }) => topic.name)
  const kept = Object.values(topics).flatMap(({ name, retentionMs }) => (retentionMs === -1 ? name : []))
  expect(read.sort()).toEqual(kept.toSorted())
  expect(feedGroups('7').map(({ topic }) => topic)).toEqual(expect.arrayContaining(kept))
  expect(feedGroups('7')).toContainEqual({ group: 'touchline-replay-7-visits', topic: 'visits' })
})
