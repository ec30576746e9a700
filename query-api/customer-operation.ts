import { defineOperation } from '../http/operation.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import type { QueryDeps } from './operation.ts'
import type { SummaryWriter } from './summary-writer.ts'

/** What operations on single customers are given beside the request. */
export interface CustomerDeps extends QueryDeps {
  vault: Vault
  summaryWriter: SummaryWriter
}

export const operation = defineOperation<CustomerDeps>()
