import { connectSender } from '../../demo/send.ts'
import { step } from '../../demo/steps.ts'
import { vaultKeys } from '../../domain/sealing.ts'
import type { Config } from '../../infra/config.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { importRows } from '../../ingest/imports/import-rows.ts'
import type { ImportKindName } from '../../ingest/imports/kinds.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import type { Demo } from './remembered.ts'

/** Visits and payments over HTTP, rows through the importer; what comes late comes last. */
export async function sendBusiness(config: Config, demo: Demo, signal?: AbortSignal) {
  const out = process.stdout
  const sender = connectSender({ baseUrl: config.baseUrl, key: demo.key, trackingKey: demo.trackingKey, signal })
  const pool = connectPostgres(config.databaseUrl, { max: 2 })
  const producer = connectProducer({ brokers: config.kafkaBrokers })
  const vault = postgresVault(pool, vaultKeys(config.secret))
  const add = (label: string, kind: ImportKindName, rows: readonly object[]) =>
    step(out, label, rows.length, async (onProgress) => {
      const lines = rows.map((row) => JSON.stringify(row))
      const onBadLine = (line: number, reason: string) => {
        throw new Error(`line ${line} of ${kind} was not taken: ${reason}`)
      }
      await importRows(kind, demo.profileId, lines, {
        producer,
        vault,
        onBadLine,
        onProgress: (taken) => onProgress(taken),
      })
      signal?.throwIfAborted()
    })
  try {
    const { delivery, hits, lateHits, events, crm, payments, refunds } = demo.business
    await add('ad delivery imported', 'ad-delivery', delivery.first)
    await step(out, 'visits sent to /collect', hits.length, (onProgress) => sender.hits(hits, onProgress))
    await step(out, 'payments sent to /api/v1/events', events.length, (onProgress) => sender.events(events, onProgress))
    await add('CRM outcomes imported', 'crm-outcomes', crm)
    await add('payments imported', 'payments', payments)
    await add('refunds imported', 'payments', refunds)
    await add('ad delivery restated', 'ad-delivery', delivery.restated)
    await step(out, 'late visits sent', lateHits.length, (onProgress) => sender.hits(lateHits, onProgress))
  } finally {
    await Promise.allSettled([sender.close(), producer.close(), pool.end()])
  }
}
