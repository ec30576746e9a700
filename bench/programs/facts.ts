import { connectClickhouse } from '../../clickhouse/client.ts'
import { deriveKey, keyLabels, seal, vaultKeys } from '../../domain/sealing.ts'
import { loadConfig } from '../../infra/config.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { erasedPayers } from '../../postgres/stores/erased-payers.ts'
import { identityStore } from '../../postgres/stores/identity.ts'
import { stageStore } from '../../postgres/stores/pipeline-stages.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import { runIdentityPublisher } from '../../processors/identity/publish-changes.ts'
import { eventsPipeline } from '../../processors/outcomes.ts'
import { ok, type Pipeline } from '../../processors/runner/pipeline.ts'
import { run } from '../../processors/runner/run.ts'
import { visitsPipeline } from '../../processors/visits.ts'
import type { LoopSettings } from './bare-loop.ts'
import { answer, settings } from './message.ts'

/** The product's own way from Kafka to facts and identities, as the processors run it, without attribution. */
const { brokers, clickhouseUrl, database, count } = await settings<LoopSettings>()
const config = loadConfig()
const warehouse = connectClickhouse({ url: clickhouseUrl, database: () => database })
const postgres = connectPostgres(config.databaseUrl)
const producer = connectProducer({ brokers })
const vault = postgresVault(postgres, vaultKeys(config.secret), { timeoutMs: 10_000 })
const identity = identityStore(postgres)
const stores = { stages: stageStore(postgres), erasedPayers: erasedPayers(postgres) }
const deps = { warehouse, producer, vault, identity, ...stores }
let left = count
let began = 0

const timed = (pipeline: Pipeline): Pipeline => ({
  ...pipeline,
  steps: [
    {
      name: 'clock',
      run: (batch) => {
        began ||= performance.now()
        return batch.map(({ value }) => ok(value))
      },
    },
    ...pipeline.steps,
  ],
  sinks: [
    ...pipeline.sinks,
    async (batch) => {
      left -= batch.length
      if (left === 0) await identities()
    },
  ],
})

/** A fact is queryable by its customer once the identity map has reached the warehouse. */
async function identities(): Promise<void> {
  const waiting = 'SELECT count(*)::int AS count FROM identity_changes'
  while ((await postgres.query<{ count: number }>(waiting)).rows[0]!.count > 0)
    await new Promise((r) => setTimeout(r, 10))
  answer({ seconds: (performance.now() - began) / 1000 })
}

const rejectedKey = deriveKey(config.secret, keyLabels.rejected)
run([timed(visitsPipeline(deps)), timed(eventsPipeline(deps))], {
  brokers,
  producer,
  seal: (bytes: Buffer) => seal(rejectedKey, 'rejected', bytes),
  maxMessages: 2000,
  maxWaitMs: 20,
})
runIdentityPublisher({ identity, warehouse, producer })
