import { z } from 'zod'
import type { InstallVerification as Stored } from '../../../postgres/stores/install-verifications.ts'

const InstallCheck = z
  .object({
    key: z.string().meta({
      description:
        '`page_reachable`, `snippet_found`, `key_matches`, `installed_once`, `placed_first`, `policy_allows`, `hits_arriving`.',
      examples: ['snippet_found'],
    }),
    status: z.enum(['pass', 'warn', 'fail']),
    message: z.string(),
  })
  .meta({ id: 'InstallCheck' })

export const InstallVerification = z
  .object({
    id: z.uuid(),
    status: z.enum(['running', 'passed', 'failed']),
    url: z.url(),
    checks: z.array(InstallCheck).meta({ description: 'Empty while it runs.' }),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'InstallVerification' })

export const toInstallVerification = (stored: Stored): z.infer<typeof InstallVerification> => ({
  id: stored.id,
  status: stored.status,
  url: stored.url,
  checks: stored.checks,
  started_at: stored.startedAt.toISOString(),
  finished_at: stored.finishedAt?.toISOString() ?? null,
})
