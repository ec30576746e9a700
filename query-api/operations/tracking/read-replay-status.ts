import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import { latestReplay, replayPercent } from '../../../postgres/stores/replays.ts'
import { operation } from '../../operation.ts'

const ReplayStatus = z
  .object({
    id: z.uuid(),
    kind: z.enum(['full', 'partial']),
    status: z.enum(['running', 'flipped', 'completed', 'failed']).meta({
      description:
        'A full replay is `flipped` once its figures are the ones reported and the last changes are being settled. A failed one is taken up again or given up by an operator.',
    }),
    from: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Since when messages are read again; null is from the first.' }),
    progress_percent: z.int().min(0).max(100),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ReplayStatus' })

export const readReplayStatus = operation({
  id: 'readReplayStatus',
  method: 'GET',
  url: '/tracking/replay-status',
  summary: 'Read how far the most recent attribution replay is',
  description: 'The most recent replay that concerns the profile, or null when there never was one.',
  tags: ['Tracking'],
  scopes: ['analytics:read'],
  response: one(ReplayStatus.nullable()),
  handler: async ({ profile, postgres }) => {
    const latest = await latestReplay(postgres, profile.id)
    if (!latest) return null
    const { id, kind, status, from, startedAt, finishedAt } = latest
    return {
      id,
      kind: kind as 'full' | 'partial',
      status,
      from: from?.toISOString() ?? null,
      progress_percent: replayPercent(latest),
      started_at: startedAt.toISOString(),
      finished_at: finishedAt?.toISOString() ?? null,
    }
  },
})
