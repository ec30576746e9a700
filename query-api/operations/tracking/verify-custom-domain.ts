import { z } from 'zod'
import { ApiError, one } from '../../../http/operation.ts'
import { DnsUnavailable } from '../../../infra/domain-records.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { findCustomDomain, judgeCustomDomain, releaseCustomDomain } from '../../../postgres/stores/custom-domains.ts'
import { domainVerdict, ownershipText } from '../../tracking/domain-verdict.ts'
import { operation } from '../../tracking-operation.ts'
import { CustomDomain, toCustomDomain } from './custom-domain.ts'

const missing = () => new ApiError('not_found', 'This profile has no tracking domain with that id.')

export const verifyCustomDomain = operation({
  id: 'verifyCustomDomain',
  method: 'POST',
  url: '/tracking/custom-domains/:id/verify',
  summary: 'Check the DNS records of a tracking domain',
  description:
    'Asks the name servers now and keeps the verdict. A verified domain whose records are gone fails and is no longer served. While no name server answers, nothing changes and the answer is 503.',
  tags: ['Tracking'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  params: z.object({ id: z.string() }),
  response: one(CustomDomain),
  errors: ['not_found', 'service_unavailable'],
  handler: async ({ params, profile, postgres, domainRecords, trackerUrl }) => {
    const domain = await asProfile(postgres, profile.id, (tx) => findCustomDomain(tx, profile.id, params.id))
    if (!domain) throw missing()
    const verdict = await domainVerdict(domainRecords, domain, trackerUrl).catch((error) => {
      if (!(error instanceof DnsUnavailable)) throw error
      throw new ApiError('service_unavailable', 'The name servers do not answer: try again in a moment.', {
        retry_after: 10,
      })
    })
    const judge = (kept: typeof verdict) =>
      asProfile(postgres, profile.id, (tx) => judgeCustomDomain(tx, profile.id, domain.id, kept))
    let judged = await judge(verdict)
    if (judged === 'held_by_another') {
      // Whoever controls the zone now decides: a holder whose record is gone has to give the name up.
      const texts = verdict.checks.find(({ record }) => record === 'TXT')?.found ?? []
      await releaseCustomDomain(postgres, domain.host, texts, ownershipText(''))
      judged = await judge(verdict)
    }
    if (judged === 'held_by_another') judged = await judge({ ...verdict, status: 'failed' })
    if (!judged || judged === 'held_by_another') throw missing()
    return toCustomDomain(judged, trackerUrl)
  },
})
