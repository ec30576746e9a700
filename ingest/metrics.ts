import { Counter, type Registry } from 'prom-client'
import type { IdentifierReason } from '../domain/identifiers.ts'
import type { IdentifierType } from '../schemas/messages.ts'

export interface IngestMetrics {
  accepted(source: string, count: number): void
  bots(count: number): void
  refused(source: string, reason: string): void
  identifierRefused(type: IdentifierType, reason: IdentifierReason): void
}

/** Labels are a fixed vocabulary: nothing that a sender wrote reaches a metric. */
export function ingestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry]
  const accepted = new Counter({
    name: 'touchline_ingest_accepted_total',
    help: 'Hits and rows that Kafka has acknowledged.',
    labelNames: ['source'],
    registers,
  })
  const bots = new Counter({ name: 'touchline_ingest_bot_hits_total', help: 'Accepted hits of bots.', registers })
  const refused = new Counter({
    name: 'touchline_ingest_refused_total',
    help: 'Requests that were refused, by reason.',
    labelNames: ['source', 'reason'],
    registers,
  })
  const identifiers = new Counter({
    name: 'touchline_ingest_identifiers_refused_total',
    help: 'Values that are no identifiers and were left out.',
    labelNames: ['type', 'reason'],
    registers,
  })
  return {
    accepted: (source, count) => accepted.inc({ source }, count),
    bots: (count) => bots.inc(count),
    refused: (source, reason) => refused.inc({ source, reason }),
    identifierRefused: (type, reason) => identifiers.inc({ type, reason }),
  }
}
