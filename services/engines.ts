import type { Warehouse } from '../clickhouse/client.ts'
import { vaultKeys } from '../domain/sealing.ts'
import type { Config } from '../infra/config.ts'
import { connectAdmin } from '../infra/kafka/admin.ts'
import { connectProducer } from '../infra/kafka/producer.ts'
import { registerSchemas } from '../infra/kafka/register-schemas.ts'
import type { Logger } from '../infra/logger.ts'
import { connectPostgres } from '../postgres/client.ts'
import { listen } from '../postgres/notifications.ts'
import { erasedChannel } from '../postgres/stores/erasures.ts'
import { postgresVault } from '../postgres/stores/vault.ts'
import { ownCodec } from '../schemas/codec.ts'
import { followWarehouse } from './warehouse.ts'

/** Connections that every service of ours holds, and how each is asked whether it answers. */
export async function connectEngines(config: Config, logger: Logger, options: { vaultTimeoutMs?: number } = {}) {
  const postgres = connectPostgres(config.databaseUrl)
  const warehouse: Warehouse = await followWarehouse(config.clickhouseUrl, postgres)
  const codec = config.schemaRegistryUrl ? await registerSchemas(config.schemaRegistryUrl) : ownCodec
  const producer = connectProducer({ brokers: config.kafkaBrokers, codec, logger })
  const admin = connectAdmin({ brokers: config.kafkaBrokers })
  const vault = postgresVault(
    postgres,
    vaultKeys(config.secret),
    options.vaultTimeoutMs ? { timeoutMs: options.vaultTimeoutMs } : {},
  )
  const erased = listen(postgres, erasedChannel, { onMessage: vault.forget, onDeaf: vault.forget })
  return {
    postgres,
    warehouse,
    producer,
    codec,
    admin,
    vault,
    checks: {
      postgres: () => postgres.query('SELECT 1'),
      clickhouse: () => warehouse.ping(),
      kafka: () => admin.endOffsets(['dirty-customers']),
    },
    close: async () => {
      await producer.close()
      await admin.close()
      await warehouse.close()
      await erased.stop()
      await postgres.end()
    },
  }
}
