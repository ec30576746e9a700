import type pg from 'pg'
import type { Logger } from 'pino'
import { deleteOldDeliveries } from '../postgres/stores/hook-deliveries.ts'
import { deleteExpiredKeys } from '../postgres/stores/idempotency-keys.ts'
import { deleteOldAccesses } from '../postgres/stores/pii-access-log.ts'
import { deleteOldRefusals } from '../postgres/stores/refusals.ts'
import { poll } from './runner/poll.ts'
import type { Running } from './runner/run.ts'

/** SPEC 8: retention of the PII access log. */
const accessLogDays = 365
/** Longer than any look at tracking goes back. */
const refusalDays = 90

/** Longer than any provider goes on repeating a notification. */
const hookPayloadDays = 90

export interface SweepDeps {
  postgres: pg.Pool
  logger?: Logger | undefined
  idleMs?: number | undefined
  /** Rows of a table that one step deletes; several instances share the work. */
  batchSize?: number | undefined
}

/** Deletes what has been kept long enough: answers of idempotency keys, the PII access log, notifications, refusals. */
export const runSweeps = ({ postgres, batchSize = 1000, idleMs = 10_000, logger }: SweepDeps): Running =>
  poll({
    name: 'sweeps',
    logger,
    idleMs,
    work: async () => {
      const deleted = [
        await deleteExpiredKeys(postgres, batchSize),
        await deleteOldAccesses(postgres, accessLogDays, batchSize),
        await deleteOldDeliveries(postgres, hookPayloadDays, batchSize),
        await deleteOldRefusals(postgres, refusalDays, batchSize),
      ]
      return { hasMore: deleted.some((count) => count === batchSize) }
    },
  })
