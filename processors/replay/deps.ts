import type pg from 'pg'
import type { Logger } from 'pino'
import type { Admin } from '../../infra/kafka/admin.ts'
import type { ReplayProgress } from '../../postgres/stores/replays.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { Codec } from '../../schemas/codec.ts'

/** What a replay stands on. */
export interface ReplayDeps {
  brokers: string[]
  clickhouseUrl: string
  postgres: pg.Pool
  admin: Admin
  codec: Codec
  vault: Vault
  logger?: Logger | undefined
  /** Ends the replay at the next safe place; it can be taken up again. */
  signal: AbortSignal
  onProgress?: ((progress: ReplayProgress) => void) | undefined
}
