import type pg from 'pg'
import type { ErasureSecrets } from '../domain/erasures.ts'
import { defineOperation } from '../http/operation.ts'
import type { Vault } from '../postgres/stores/vault.ts'

/** What operations that name customers by their identifiers are given beside the request. */
export interface IdentityDeps {
  postgres: pg.Pool
  vault: Vault
  erasureSecrets: ErasureSecrets
}

export const identityOperation = defineOperation<IdentityDeps>()
