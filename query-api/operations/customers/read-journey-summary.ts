import { z } from 'zod'
import { isUuid } from '../../../domain/ids.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { resolveCustomer } from '../../../postgres/stores/customer-profiles.ts'
import { findSummary } from '../../../postgres/stores/journey-summaries.ts'
import { operation } from '../../operation.ts'
import { noSummary, summaryResponse, toSummary } from './journey-summary.ts'

export const readJourneySummary = operation({
  id: 'readJourneySummary',
  method: 'GET',
  url: '/customers/:id/journey-summary',
  summary: 'Read the stored summary of a journey',
  description: 'Never calls a model. A null summary with `cached: false` means that none was generated.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  readsPersons: true,
  params: z.object({ id: z.string() }),
  response: summaryResponse,
  handler: async ({ params, profile, postgres, persons }) => {
    persons(0)
    const id = params.id.toLowerCase()
    if (!isUuid(id)) return noSummary
    const stored = await asProfile(postgres, profile.id, async (tx) => {
      const known = await resolveCustomer(tx, profile.id, id)
      return findSummary(tx, profile.id, known?.customerId ?? id)
    })
    if (stored) persons(1)
    return stored ? { summary: toSummary(stored), cached: true } : noSummary
  },
})
