import { Argument, Command } from 'commander'
import { vaultKeys } from '../domain/sealing.ts'
import { type Config, loadConfig } from '../infra/config.ts'
import { connectProducer } from '../infra/kafka/producer.ts'
import { importRows } from '../ingest/imports/import-rows.ts'
import { type ImportKindName, importKinds } from '../ingest/imports/kinds.ts'
import { linesOf } from '../ingest/imports/lines.ts'
import { postgresVault } from '../postgres/stores/vault.ts'
import { absentEngine } from './failure.ts'
import { profileCalled } from './profile-called.ts'
import { progressBar } from './progress-bar.ts'
import { openSource } from './source.ts'
import { print, UsageError, withPostgres } from './with-postgres.ts'

interface Options {
  profile: string
  json?: boolean
}

export const command = () =>
  new Command()
    .description('send rows of a file, one JSON object a line, through the collectors')
    .addArgument(new Argument('<kind>', 'what the rows are').choices(Object.keys(importKinds)))
    .argument('<file>', 'the file, or - for standard input')
    .requiredOption('--profile <id>', 'the profile that they belong to')
    .option('--json', 'print the summary as JSON')
    .action((kind: ImportKindName, file: string, options: Options) =>
      withPostgres(async (pool) => {
        const config = loadConfig()
        await profileCalled(pool, options.profile)
        const vault = postgresVault(pool, vaultKeys(config.secret), { timeoutMs: 10_000 })
        const summary = await run(config, vault, kind, file, options.profile)
        print({ ...summary }, options)
        if (summary.bad > 0) process.exitCode = 1
      }),
    )

async function run(
  config: Config,
  vault: ReturnType<typeof postgresVault>,
  kind: ImportKindName,
  file: string,
  profileId: string,
) {
  const source = await openSource(file)
  const producer = connectProducer({ brokers: config.kafkaBrokers })
  const bar = progressBar(process.stderr, source.size)
  const report = (taken: number, bad: number) =>
    bar.update(source.bytesRead(), `${taken} taken${bad > 0 ? `, ${bad} bad` : ''}`)
  try {
    return await importRows(kind, profileId, linesOf(source.chunks), {
      producer,
      vault,
      onBadLine: (line, reason) => bar.line(`line ${line}: ${reason}`),
      onProgress: report,
    })
  } catch (error) {
    const engine = absentEngine(error)
    if (!engine) throw error
    throw new UsageError(
      `${engine} does not answer; import the file again when it does, rows already taken do no harm.`,
    )
  } finally {
    bar.end()
    await producer.close()
  }
}
