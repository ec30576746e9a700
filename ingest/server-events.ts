import { z } from 'zod'
import { one } from '../http/operation.ts'
import { topics } from '../schemas/topics.ts'
import { operation } from './operation.ts'
import { SentEvent, toServerEvent } from './server-event.ts'

/** An outcome that a server knows of. The 202 says that Kafka has it. */
export const postEvent = operation({
  id: 'postEvent',
  method: 'POST',
  url: '/events',
  summary: 'Record an outcome event',
  description:
    'For a system that knows an outcome without a browser. Sent again with the same idempotency_key it replaces ' +
    'the whole event; required whenever the event carries money.',
  tags: ['Events'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  rateLimit: 'events',
  bodyLimitBytes: 64 * 1024,
  body: SentEvent,
  response: one(z.object({ outcome_event_id: z.uuid() })),
  status: 202,
  errors: ['invalid_parameter', 'service_unavailable'],
  handler: async ({ body, profile, request, producer, vault, metrics }) => {
    const receivedAt = request.receivedAt.getTime()
    const event = await toServerEvent(body, { profile, receivedAt, vault, onRefused: metrics.identifierRefused })
    await producer.send(topics.events, [event])
    metrics.accepted('events', 1)
    return { outcome_event_id: event.outcome_event_id }
  },
})
