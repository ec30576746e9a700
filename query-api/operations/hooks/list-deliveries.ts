import { z } from 'zod'
import { isUuid } from '../../../domain/ids.ts'
import { parseTime } from '../../../domain/time.ts'
import { ApiError, limit, page } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { deliveryStatuses, listDeliveries } from '../../../postgres/stores/hook-deliveries.ts'
import { operation } from '../../hook-operation.ts'

const Delivery = z
  .object({
    id: z.uuid(),
    endpoint_id: z.uuid(),
    provider: z.string(),
    topic: z.string().meta({ description: 'What the provider calls it.', examples: ['charge.succeeded'] }),
    status: z.enum(deliveryStatuses).meta({
      description:
        'mapped: told to the pipeline; superseded: something newer was told before; ignored: changes no figure; ' +
        'unmappable: genuine, but not understood.',
    }),
    reason: z.string().nullable(),
    messages: z.int().meta({ description: 'How many messages it became.' }),
    received_at: z.iso.datetime(),
    is_erased: z.boolean().meta({ description: 'Its payload went with the person it named.' }),
  })
  .meta({ id: 'HookDelivery' })

export const listHookDeliveries = operation({
  id: 'listHookDeliveries',
  method: 'GET',
  url: '/hooks/deliveries',
  summary: 'List what providers have notified us of',
  description: 'Newest first, for 90 days. Payloads are kept sealed and never shown here.',
  tags: ['Hooks'],
  scopes: ['connections:read'],
  query: z.object({
    status: z.enum(deliveryStatuses).optional(),
    endpoint_id: z.guid().optional(),
    limit: limit({ default: 50, max: 200 }),
    cursor: z.string().max(200).optional().meta({ description: 'pagination.cursor of the page before.' }),
  }),
  response: page(Delivery),
  handler: async ({ query, profile, postgres }) => {
    const before = query.cursor === undefined ? undefined : parseCursor(query.cursor)
    const wanted = { status: query.status, endpointId: query.endpoint_id, before, limit: query.limit + 1 }
    const found = await asProfile(postgres, profile.id, (tx) => listDeliveries(tx, profile.id, wanted))
    const shown = found.slice(0, query.limit)
    const last = shown.at(-1)
    const hasNext = found.length > query.limit && last !== undefined
    return {
      data: shown.map((delivery) => ({
        id: delivery.id,
        endpoint_id: delivery.endpointId,
        provider: delivery.provider,
        topic: delivery.topic,
        status: delivery.status,
        reason: delivery.reason,
        messages: delivery.messages,
        received_at: delivery.receivedAt.toISOString(),
        is_erased: delivery.isErased,
      })),
      pagination: { has_next: hasNext, cursor: hasNext ? formatCursor(last) : null },
    }
  },
})

const formatCursor = ({ at, id }: { at: string; id: string }) => Buffer.from(`${at}/${id}`).toString('base64url')

function parseCursor(cursor: string) {
  const [at, id, ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split('/')
  if (!at || parseTime(at) === undefined || !id || !isUuid(id) || rest.length > 0) {
    throw new ApiError('invalid_parameter', 'cursor: must be the cursor of a page before')
  }
  return { at, id }
}
