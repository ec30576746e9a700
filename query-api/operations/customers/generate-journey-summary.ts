import { z } from 'zod'
import { isUuid } from '../../../domain/ids.ts'
import { plainEventType, type SummaryEvent } from '../../../domain/journey-summary.ts'
import { ApiError } from '../../../http/operation.ts'
import { asProfile, serveNobody, serveProfile } from '../../../postgres/as-profile.ts'
import { transaction } from '../../../postgres/client.ts'
import { releaseUnit, reserveUnit, spendUnit } from '../../../postgres/stores/ai-allowance.ts'
import { resolveCustomer } from '../../../postgres/stores/customer-profiles.ts'
import { keepSummary } from '../../../postgres/stores/journey-summaries.ts'
import { isOrdinaryProfile } from '../../../postgres/stores/profile-status.ts'
import { operation } from '../../customer-operation.ts'
import { type ReadEvent, readEvents } from './journey-reads.ts'
import { mostEvents, noSummary, summaryResponse, toSummary } from './journey-summary.ts'

export const generateJourneySummary = operation({
  id: 'generateJourneySummary',
  method: 'POST',
  url: '/customers/:id/journey-summary',
  summary: 'Generate the summary of a journey',
  description:
    `Written from the first ${mostEvents} events, stored, and in place of an earlier one. Draws one unit of the daily allowance ` +
    'of the workspace, on success only; a customer without events answers null and costs nothing. A model is told ' +
    'event types, channels, times and values, never who it was.',
  tags: ['Customers'],
  scopes: ['customers:read'],
  onHealthcare: 'forbidden',
  readsPersons: true,
  params: z.object({ id: z.string() }),
  response: summaryResponse,
  errors: ['forbidden', 'provider_error', 'rate_limit_exceeded'],
  handler: async ({ params, profile, postgres, clickhouse, summaryWriter, request, persons }) => {
    persons(0)
    if (profile.isHealthcare || !(await isOrdinaryProfile(postgres, profile.id))) {
      throw new ApiError('forbidden', 'Journeys of a healthcare profile are not summarised.')
    }
    const id = params.id.toLowerCase()
    if (!isUuid(id)) return noSummary
    const known = await asProfile(postgres, profile.id, (tx) => resolveCustomer(tx, profile.id, id))
    if (known?.isErased) return noSummary
    const customer = known?.customerId ?? id
    const journey = { profile: profile.id, customer, limit: mostEvents, offset: 0 }
    const { events, total_count } = await readEvents(clickhouse, journey)
    if (events.length === 0) return noSummary

    const reserved = await reserveUnit(postgres, profile.workspaceId, request.receivedAt)
    if (reserved.kind === 'spent') throw allowanceSpent(request.receivedAt)
    try {
      const text = await summaryWriter.write(events.map(toSummaryEvent), total_count).catch((cause: unknown) => {
        throw new ApiError('provider_error', 'The model gave no summary; nothing was spent.', {}, { cause })
      })
      const summary = { text, generator: summaryWriter.generator, eventCount: events.length, generatedAt: new Date() }
      const isKept = await transaction(postgres, async (tx) => {
        await serveProfile(tx, profile.id)
        if (!(await keepSummary(tx, profile.id, customer, summary))) return false
        await serveNobody(tx)
        // Stored and spent together, or neither.
        if (!(await spendUnit(tx, reserved.id))) throw new ApiError('service_unavailable', 'It took too long.')
        return true
      })
      if (isKept) persons(1)
      if (isKept) return { summary: toSummary(summary), cached: false }
    } catch (error) {
      await releaseUnit(postgres, reserved.id)
      throw error
    }
    await releaseUnit(postgres, reserved.id)
    return noSummary
  },
})

const toSummaryEvent = ({ event }: ReadEvent): SummaryEvent => ({
  type: plainEventType(event.event_type),
  time: `${event.event_time.slice(0, 16)}Z`,
  channel: event.channel,
  value: event.value_amount === null ? null : `${event.value_amount} ${event.currency}`,
  isSynthetic: event.is_synthetic,
})

function allowanceSpent(now: Date): ApiError {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
  const extras = { reason: 'daily_ai_allowance', retry_after: Math.ceil((midnight - now.getTime()) / 1000) }
  const headers = { 'x-ratelimit-reset': String(midnight / 1000) }
  return new ApiError('rate_limit_exceeded', 'The workspace has spent its summaries of the day.', extras, { headers })
}
