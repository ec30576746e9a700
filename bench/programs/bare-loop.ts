import { connectClickhouse } from '../../clickhouse/client.ts'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { decode } from '../../schemas/codec.ts'
import type { ServerEvent, VisitBatch } from '../../schemas/messages.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { answer, settings } from './message.ts'

export interface LoopSettings {
  brokers: string[]
  clickhouseUrl: string
  database: string
  group: string
  /** Messages to take; the time runs from the first batch to the last commit. */
  count: number
}

/** The physical limit of a pipeline: consume, decode, insert, commit. No rule, no person, no classification. */
const { brokers, clickhouseUrl, database, group, count } = await settings<LoopSettings>()
const warehouse = connectClickhouse({ url: clickhouseUrl, database: () => database })
let left = count
let began = 0

async function copy<Value>(topic: Topic<Value>, table: string, rowsOf: (value: Value) => object[]): Promise<void> {
  const consumer = connectConsumer({
    brokers,
    group: `${group}-${topic.name}`,
    topics: [topic.name],
    maxMessages: 2000,
    maxWaitMs: 20,
  })
  for (let batch = await consumer.next(); batch; batch = await consumer.next()) {
    began ||= performance.now()
    const rows = batch.messages.flatMap(({ value }) => {
      const decoded = decode(topic, value)
      return decoded.kind === 'ok' ? rowsOf(decoded.value) : []
    })
    await warehouse.insert(table, rows)
    await batch.commit()
    left -= batch.messages.length
    if (left === 0) answer({ seconds: (performance.now() - began) / 1000 })
  }
}

const visitRows = ({ profile_id, visitor_id, received_at, device, browser, os, hits }: VisitBatch) =>
  hits.map(({ event_id, event_type, event_time, url, path, referrer, utm }) => ({
    ...{ profile_id, subject_id: visitor_id, received_at, device, browser, os },
    ...{ event_id, event_type, event_time, url, path, referrer, utm, version: '1' },
  }))

const eventRows = ({ profile_id, outcome_event_id, visitor_id, event_type, ...event }: ServerEvent) => {
  const { occurred_at, received_at, amount_minor, currency, ad_ref } = event
  return [
    { profile_id, outcome_id: outcome_event_id, visitor_id, event_type, occurred_at, received_at, amount_minor },
  ].map((row) => ({ ...row, currency, ad_ref, version: '1' }))
}

await Promise.all([copy(topics.visits, 'bare_hits', visitRows), copy(topics.events, 'bare_outcomes', eventRows)])
