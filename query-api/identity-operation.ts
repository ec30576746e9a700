import type pg from 'pg'
import type { ErasureSecrets } from '../domain/erasures.ts'
import type { LinkTokens } from '../domain/link-tokens.ts'
import { defineOperation } from '../http/operation.ts'
import type { Vault } from '../postgres/stores/vault.ts'

/** What operations that name customers by their identifiers are given beside the request. */
export interface IdentityDeps {
  postgres: pg.Pool
  vault: Vault
  erasureSecrets: ErasureSecrets
  /** None where the deployment has no secret for them. */
  linkTokens: LinkTokens | undefined
}

export const operation = defineOperation<IdentityDeps>()
