import { Command } from 'commander'
import { generationDatabase } from '../clickhouse/generations.ts'
import { migrateClickhouse } from '../clickhouse/migrate.ts'
import { publishViews } from '../clickhouse/views.ts'
import { loadConfig } from '../infra/config.ts'
import { connectAdmin } from '../infra/kafka/admin.ts'
import { connectPostgres } from '../postgres/client.ts'
import { migratePostgres } from '../postgres/migrate.ts'
import { liveGeneration } from '../postgres/stores/warehouse.ts'

export const command = () =>
  new Command().description('bring Postgres, ClickHouse and Kafka to what this version needs').action(migrate)

/** Safe to run again and beside another: each engine is only given what it lacks. */
async function migrate() {
  const config = loadConfig()
  const pool = connectPostgres(config.databaseUrl, { max: 2 })
  const admin = connectAdmin({ brokers: config.kafkaBrokers })
  try {
    say('Postgres', await migratePostgres(pool))
    const database = generationDatabase(await liveGeneration(pool))
    say(`ClickHouse (${database})`, await migrateClickhouse(config.clickhouseUrl, database))
    await publishViews(config.clickhouseUrl, database)
    say('Kafka', await admin.createTopics())
  } finally {
    await Promise.all([pool.end(), admin.close()])
  }
}

function say(engine: string, applied: string[]) {
  console.log(applied.length ? `${engine}: ${applied.join(', ')}` : `${engine}: up to date`)
}
