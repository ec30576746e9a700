import { vaultKeys } from '../domain/sealing.ts'
import type { Config } from '../infra/config.ts'
import { connectAdmin } from '../infra/kafka/admin.ts'
import { registerSchemas } from '../infra/kafka/register-schemas.ts'
import { createLogger } from '../infra/logger.ts'
import { connectPostgres } from '../postgres/client.ts'
import { postgresVault } from '../postgres/stores/vault.ts'
import type { ReplayDeps } from '../processors/replay/deps.ts'
import { ownCodec } from '../schemas/codec.ts'

/** What a replay stands on, connected: a process of its own beside the services. */
export async function openReplay(
  config: Config,
  { signal, onProgress }: Pick<ReplayDeps, 'signal' | 'onProgress'>,
): Promise<ReplayDeps & { close(): Promise<void> }> {
  const postgres = connectPostgres(config.databaseUrl, { max: 8 })
  const admin = connectAdmin({ brokers: config.kafkaBrokers })
  return {
    brokers: config.kafkaBrokers,
    clickhouseUrl: config.clickhouseUrl,
    postgres,
    admin,
    codec: config.schemaRegistryUrl ? await registerSchemas(config.schemaRegistryUrl) : ownCodec,
    vault: postgresVault(postgres, vaultKeys(config.secret), { timeoutMs: 10_000 }),
    // Standard output belongs to the command's own answer.
    logger: createLogger({ level: config.logLevel === 'silent' ? 'silent' : 'warn', destination: process.stderr }),
    signal,
    onProgress,
    close: async () => {
      await Promise.allSettled([admin.close(), postgres.end()])
    },
  }
}
