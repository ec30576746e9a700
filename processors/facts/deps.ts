import type { Warehouse } from '../../clickhouse/client.ts'
import type { Producer } from '../../infra/kafka/producer.ts'
import type { ErasedPayers } from '../../postgres/stores/erased-payers.ts'
import type { IdentityStore } from '../../postgres/stores/identity.ts'
import type { StageStore } from '../../postgres/stores/pipeline-stages.ts'
import type { Vault } from '../../postgres/stores/vault.ts'

/** What the pipelines that store facts stand on. */
export interface FactDeps {
  warehouse: Warehouse
  producer: Producer
  vault: Vault
  identity: IdentityStore
  stages: Pick<StageStore, 'observe'>
  erasedPayers: ErasedPayers
}
