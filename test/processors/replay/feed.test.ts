import { expect, it } from 'vitest'
import { rawPipelines } from '../../../processors/raw-pipelines.ts'
import { feedGroups, rawTopics } from '../../../processors/replay/feed.ts'

it('reads every topic that is kept for ever, so that nothing is missing after a replay', () => {
  const read = rawPipelines({ identity: {}, stages: {} } as never).map(({ topic }) => topic.name)
  expect(read.sort()).toEqual(rawTopics.toSorted())
  expect(feedGroups('7')).toContainEqual({ group: 'touchline-replay-7-visits', topic: 'visits' })
})
