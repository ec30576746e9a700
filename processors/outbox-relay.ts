import type pg from 'pg'
import type { Producer } from '../infra/kafka/producer.ts'
import { transaction } from '../postgres/client.ts'
import { deleteOutbox, type OutboxRow, takeOutbox } from '../postgres/stores/outbox.ts'
import { type Codec, ownCodec } from '../schemas/codec.ts'
import { type Topic, topics } from '../schemas/topics.ts'
import { type PollOptions, poll } from './runner/poll.ts'
import type { Running } from './runner/run.ts'

export interface RelayDeps extends Pick<PollOptions, 'logger' | 'idleMs' | 'maxElapsedMs'> {
  postgres: pg.Pool
  producer: Producer
  /** What consumers decode with, where it is not our own list of schemas. */
  codec?: Codec | undefined
  batchSize?: number | undefined
}

/** Sends what the outbox holds and deletes it after the acknowledgement: a crash in between sends it again. */
export const runOutboxRelay = ({
  postgres,
  producer,
  codec = ownCodec,
  batchSize = 500,
  ...options
}: RelayDeps): Running =>
  poll({
    ...options,
    name: 'outbox',
    work: () =>
      transaction(postgres, async (tx) => {
        const rows = await takeOutbox(tx, batchSize)
        if (rows.length === 0) return { hasMore: false }
        await producer.sendRaw(codec === ownCodec ? rows : rows.map((row) => recoded(row, codec)))
        await deleteOutbox(
          tx,
          rows.map(({ id }) => id),
        )
        return { hasMore: rows.length === batchSize }
      }),
  })

/** The outbox is written with our own ids; a schema registry has others. */
function recoded(row: OutboxRow, codec: Codec): OutboxRow {
  const topic = Object.values(topics).find(({ name }) => name === row.topic) as Topic<unknown>
  const decoded = ownCodec.decode(topic, row.value)
  if (decoded.kind === 'undecodable') throw new Error(`outbox row ${row.id} cannot be decoded: ${decoded.why}`)
  return { ...row, value: codec.encode(topic, decoded.value) }
}
