import type pg from 'pg'
import type { Producer } from '../infra/kafka/producer.ts'
import { transaction } from '../postgres/client.ts'
import { deleteOutbox, takeOutbox } from '../postgres/stores/outbox.ts'
import { type PollOptions, poll } from './runner/poll.ts'
import type { Running } from './runner/run.ts'

export interface RelayDeps extends Pick<PollOptions, 'logger' | 'idleMs' | 'maxElapsedMs'> {
  postgres: pg.Pool
  producer: Producer
  batchSize?: number | undefined
}

/** Sends what the outbox holds and deletes it after the acknowledgement: a crash in between sends it again. */
export const runOutboxRelay = ({ postgres, producer, batchSize = 500, ...options }: RelayDeps): Running =>
  poll({
    ...options,
    name: 'outbox',
    work: () =>
      transaction(postgres, async (tx) => {
        const rows = await takeOutbox(tx, batchSize)
        if (rows.length === 0) return { hasMore: false }
        await producer.sendRaw(rows)
        await deleteOutbox(
          tx,
          rows.map(({ id }) => id),
        )
        return { hasMore: rows.length === batchSize }
      }),
  })
