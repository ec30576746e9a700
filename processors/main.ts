import type pg from 'pg'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Warehouse } from '../clickhouse/client.ts'
import { erasureSecrets } from '../domain/erasures.ts'
import { deriveKey, keyLabels, seal } from '../domain/sealing.ts'
import type { Producer } from '../infra/kafka/producer.ts'
import { erasedPayers } from '../postgres/stores/erased-payers.ts'
import { identityStore } from '../postgres/stores/identity.ts'
import { stageStore } from '../postgres/stores/pipeline-stages.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import type { Codec } from '../schemas/codec.ts'
import { dirtyCustomersPipeline } from './dirty-customers.ts'
import { runErasures } from './erasures.ts'
import { publishingIdentity, runIdentityPublisher } from './identity/publish-changes.ts'
import { runOutboxRelay } from './outbox-relay.ts'
import { runScorer } from './performers/score-due.ts'
import { rawPipelines } from './raw-pipelines.ts'
import { runRejectedLedger } from './rejected-ledger.ts'
import { pipelineMetrics } from './runner/metrics.ts'
import { type Running, run } from './runner/run.ts'
import { runSweeps } from './sweeps.ts'

export interface ProcessorDeps {
  brokers: string[]
  secret: Buffer
  postgres: pg.Pool
  warehouse: Warehouse
  producer: Producer
  codec: Codec
  vault: Vault
  logger: Logger
  metrics: Registry
}

/** Every consumer of the service in one process; several processes share the partitions between them. */
export function runProcessors(deps: ProcessorDeps): Running {
  const { brokers, secret, postgres, warehouse, producer, codec, vault, logger } = deps
  const identity = identityStore(postgres)
  const rejectedKey = deriveKey(secret, keyLabels.rejected)
  const common = {
    brokers,
    producer,
    codec,
    logger,
    metrics: pipelineMetrics(deps.metrics),
    seal: (bytes: Buffer) => seal(rejectedKey, 'rejected', bytes),
  }
  const facts = {
    warehouse,
    producer,
    vault,
    identity: publishingIdentity({ identity, warehouse, producer }),
    stages: stageStore(postgres),
    erasedPayers: erasedPayers(postgres),
  }
  const running = [
    run(rawPipelines(facts), { ...common, maxMessages: 2000, maxWaitMs: 20 }),
    // Dirty customers gather for a moment, so that many changes of one customer cost one recompute.
    run([dirtyCustomersPipeline({ warehouse })], { ...common, maxMessages: 5000, maxWaitMs: 100 }),
    runOutboxRelay({ postgres, producer, codec, logger }),
    runIdentityPublisher({ identity, warehouse, producer, logger }),
    runRejectedLedger({ brokers, postgres, codec, logger }),
    runSweeps({ postgres, logger }),
    runScorer({ postgres, warehouse, logger }),
    runErasures({ postgres, warehouse, secrets: erasureSecrets(secret), logger }),
  ]
  return {
    done: Promise.race(running.map(({ done }) => done)),
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()))
    },
  }
}
