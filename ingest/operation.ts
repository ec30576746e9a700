import { defineOperation } from '../http/operation.ts'
import type { Producer } from '../infra/kafka/producer.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import type { IngestMetrics } from './metrics.ts'

/** What the handlers of this folder are given beside the request. */
export interface IngestDeps {
  producer: Pick<Producer, 'send'>
  vault: Vault
  metrics: IngestMetrics
}

export const operation = defineOperation<IngestDeps>()
