import { z } from 'zod'
import { erasureReasons } from '../../../domain/erasures.ts'
import type { Receipt } from '../../../postgres/stores/erasures.ts'

export const ErasureReceipt = z
  .object({
    erasure_id: z.uuid(),
    request_ref: z.string().meta({ description: 'Your idempotency key.' }),
    status: z.enum(['queued', 'done']).meta({
      description: 'The customer is unreachable at once; done says that every store was searched and holds nothing.',
    }),
    customer_key: z.string().nullable().meta({
      description: 'The key sent, or the customer’s key when it was named another way; null if it has none.',
    }),
    reason: z.enum(erasureReasons),
    requested_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable().meta({ description: 'Null while queued.' }),
  })
  .meta({ id: 'ErasureReceipt' })

export const toErasureReceipt = (receipt: Receipt): z.input<typeof ErasureReceipt> => ({
  erasure_id: receipt.id,
  request_ref: receipt.requestRef,
  status: receipt.completedAt ? 'done' : 'queued',
  customer_key: receipt.customerKey,
  reason: receipt.reason,
  requested_at: receipt.requestedAt.toISOString(),
  completed_at: receipt.completedAt?.toISOString() ?? null,
})
