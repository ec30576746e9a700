import type pg from 'pg'
import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import type { Outbound } from '../../../infra/outbound.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { trackedHost } from '../../../postgres/stores/custom-domains.ts'
import {
  finishVerification,
  type InstallVerification as Stored,
  startVerification as start,
} from '../../../postgres/stores/install-verifications.ts'
import { listTrackingKeys } from '../../../postgres/stores/tracking-keys.ts'
import { originOf } from '../../tracking/install.ts'
import { type Expected, lookAtPage } from '../../tracking/look-at-page.ts'
import { operation } from '../../tracking-operation.ts'
import { InstallVerification, toInstallVerification } from './install-verification.ts'

const mostAtOnce = 3

const PageUrl = z
  .string()
  .max(2048)
  .transform((text) => URL.parse(text.trim()))
  .refine((url) => url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password, {
    error: 'must be the http or https address of a page',
  })
  .meta({ description: 'A page that carries the tracker.', examples: ['https://www.example.com/'] })

export const startVerification = operation({
  id: 'startInstallVerification',
  method: 'POST',
  url: '/tracking/verification',
  summary: 'Start an install verification',
  description:
    'Fetches the page as any visitor would, in the background, and keeps what was found. Redirects are not followed and only public addresses are called. Read the verdict with GET.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  body: z.strictObject({ url: PageUrl }).meta({ id: 'NewInstallVerification' }),
  response: one(InstallVerification),
  status: 202,
  handler: async ({ body, profile, postgres, outbound, trackerUrl, request }) => {
    const url = new URL(body.url!)
    url.hash = ''
    const { started, expected } = await asProfile(postgres, profile.id, async (tx) => {
      const started = await start(tx, profile.id, url.href, mostAtOnce)
      if (!started) {
        throw new ApiError('rate_limit_exceeded', 'Other verifications of the profile still run.', {
          reason: 'verifications_running',
          retry_after: 10,
        })
      }
      const keys = await listTrackingKeys(tx, profile.id)
      const { origin } = originOf(trackerUrl, await trackedHost(tx, profile.id))
      const seen = keys.flatMap(({ lastSeenAt }) => lastSeenAt ?? [])
      return {
        started,
        expected: { keys: keys.map(({ key }) => key), origin, lastSeenAt: seen[0] ?? null },
      }
    })
    void finish({ postgres, outbound }, profile.id, started, expected, request.receivedAt.getTime())
    return toInstallVerification(started)
  },
})

/** Runs on after the answer. What cannot be kept shows as failed: a run that never ended is one. */
async function finish(
  { postgres, outbound }: { postgres: pg.Pool; outbound: Outbound },
  profileId: string,
  { id, url }: Stored,
  expected: Expected,
  now: number,
): Promise<void> {
  try {
    const verdict = await lookAtPage(outbound, url, expected, now)
    await asProfile(postgres, profileId, (tx) => finishVerification(tx, profileId, id, verdict))
  } catch {
    const checks = [{ key: 'page_reachable', status: 'fail' as const, message: 'The page could not be looked at.' }]
    await asProfile(postgres, profileId, (tx) =>
      finishVerification(tx, profileId, id, { status: 'failed', checks }),
    ).catch(() => {})
  }
}
