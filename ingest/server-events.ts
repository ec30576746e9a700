import { z } from 'zod'
import { uuidv5 } from '../domain/ids.ts'
import { ApiError } from '../http/errors.ts'
import { one } from '../http/operation.ts'
import { fieldName } from '../http/validation.ts'
import type { ServerEvent } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import { describeIssue } from './issues.ts'
import { operation } from './operation.ts'
import { type EventContext, SentEvent, toServerEvent } from './server-event.ts'

/** An outcome that a server knows of. The 202 says that Kafka has it. */
export const postEvent = operation({
  id: 'postEvent',
  method: 'POST',
  url: '/events',
  summary: 'Record an outcome event',
  description:
    'For a system that knows an outcome without a browser. Sent again with the same idempotency_key it replaces ' +
    'the whole event; required whenever the event carries money. An Idempotency-Key header makes a retry safe without ' +
    'one: the same request is answered alike, another one under the same key is a conflict. Accepted means durable: it ' +
    'is not lost any more.',
  tags: ['Events'],
  scopes: ['attribution:write'],
  idempotency: 'natural or header',
  rateLimit: 'events',
  bodyLimitBytes: 64 * 1024,
  body: SentEvent,
  response: one(z.object({ outcome_event_id: z.uuid() }).meta({ id: 'EventReceipt' })),
  status: 202,
  errors: ['invalid_parameter', 'service_unavailable'],
  handler: async ({ body, profile, request, execution, producer, vault, metrics }) => {
    const receivedAt = request.receivedAt.getTime()
    const context = { profile, receivedAt, vault, onRefused: metrics.identifierRefused }
    const event = await toServerEvent(body, context, () => execution.id)
    await producer.send(topics.events, [event])
    metrics.accepted('events', 1)
    return { outcome_event_id: event.outcome_event_id }
  },
})

const maxEvents = 500

const EventResult = z
  .object({
    index: z.int().min(0).meta({ description: 'Its place in events, from 0.' }),
    status: z.enum(['accepted', 'rejected']),
    outcome_event_id: z.uuid().nullable().meta({ description: 'Null when rejected.' }),
    error: z
      .object({ code: z.enum(['invalid_parameter', 'validation_error']), message: z.string(), field: z.string() })
      .nullable()
      .meta({ description: 'What the same event alone would have been refused with.' }),
  })
  .meta({ id: 'EventResult' })
type EventResult = z.infer<typeof EventResult>

/** A row that is no event is a rejected row, not a failed request. */
class BadRow {
  readonly issues: readonly z.core.$ZodIssue[]
  constructor(issues: readonly z.core.$ZodIssue[]) {
    this.issues = issues
  }
}

// What writes the description asks for the fallback too, without a row.
const Row = SentEvent.catch((row) => row && (new BadRow(row.error.issues) as never))

/** Many at once: each row is judged on its own, and all that are accepted are durable before the answer. */
export const postEvents = operation({
  id: 'postEvents',
  method: 'POST',
  url: '/events/batch',
  summary: `Record up to ${maxEvents} outcome events`,
  description:
    'Each event as in POST /events, in order, with a result of its own: a rejected one does not hold up the others. ' +
    'Safe to send again as long as every event has its idempotency_key, or the request an Idempotency-Key.',
  tags: ['Events'],
  scopes: ['attribution:write'],
  idempotency: 'natural or header',
  rateLimit: 'events',
  bodyLimitBytes: 2 * 1024 * 1024,
  body: z.object({
    events: z
      .array(Row)
      .min(1)
      .max(maxEvents)
      .meta({
        description: 'Events as POST /events takes them.',
        examples: [[{ event_type: 'lead_created', user_traits: { email: 'ana@example.com' } }]],
      }),
  }),
  response: one(
    z
      .object({ accepted: z.int().min(0), rejected: z.int().min(0), results: z.array(EventResult) })
      .meta({ id: 'EventResults' }),
  ),
  status: 202,
  errors: ['service_unavailable'],
  handler: async ({ body, profile, request, execution, producer, vault, metrics }) => {
    const receivedAt = request.receivedAt.getTime()
    const context = { profile, receivedAt, vault, onRefused: metrics.identifierRefused }
    const judged = await Promise.all(
      body.events.map((sent, index) => judge(sent, context, () => uuidv5(execution.id, String(index)))),
    )
    const events = judged.filter((one): one is ServerEvent => 'outcome_event_id' in one)
    if (events.length > 0) await producer.send(topics.events, events)
    metrics.accepted('events', events.length)
    return {
      accepted: events.length,
      rejected: judged.length - events.length,
      results: judged.map(
        (one, index): EventResult =>
          'outcome_event_id' in one
            ? { index, status: 'accepted', outcome_event_id: one.outcome_event_id, error: null }
            : { index, status: 'rejected', outcome_event_id: null, error: one },
      ),
    }
  },
})

type Refusal = NonNullable<EventResult['error']>

async function judge(
  sent: SentEvent | BadRow,
  context: EventContext,
  freshId: () => string,
): Promise<ServerEvent | Refusal> {
  if (sent instanceof BadRow) {
    const [issue] = sent.issues
    return { code: 'validation_error', message: describeIssue(issue!), field: fieldName(issue!.path) }
  }
  try {
    return await toServerEvent(sent, context, freshId)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const [{ field }] = error.extras.fields as [{ field: string }]
    return { code: error.code as Refusal['code'], message: error.message, field }
  }
}
