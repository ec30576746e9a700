import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import type pg from 'pg'
import { hookAddress } from '../domain/hooks/address.ts'
import { type HookSeals, hookSeals, isHookSecret, newHookSecret } from '../domain/hooks/secrets.ts'
import { providerShape } from '../domain/provider-name.ts'
import { vaultKeys } from '../domain/sealing.ts'
import { loadConfig } from '../infra/config.ts'
import { openPayload } from '../ingest/hooks/open-payload.ts'
import { replayDeliveries } from '../ingest/hooks/replay-deliveries.ts'
import type { Sql } from '../postgres/client.ts'
import { findDelivery, listDeliveries } from '../postgres/stores/hook-deliveries.ts'
import {
  createHookEndpoint,
  findHookEndpoint,
  type HookEndpoint,
  type HookProvider,
  hookProviderNames,
  listHookEndpoints,
  revokeHookEndpoint,
  rotateHookSecret,
  rotationHours,
} from '../postgres/stores/hook-endpoints.ts'
import { postgresVault } from '../postgres/stores/vault.ts'
import { profileCalled } from './profile-called.ts'
import { progressBar } from './progress-bar.ts'
import { checked, print, UsageError, withPostgres } from './with-postgres.ts'

export const command = () =>
  new Command()
    .addCommand(create())
    .addCommand(list())
    .addCommand(rotate())
    .addCommand(revoke())
    .addCommand(deliveries())
    .addCommand(payload())
    .addCommand(replay())

interface Options {
  profile: string
  json?: boolean
}

const ofProfile = (command: Command) =>
  command.requiredOption('--profile <id>', 'the profile it belongs to').option('--json', 'print JSON')

const addressOf = (endpoint: HookEndpoint) => hookAddress(loadConfig().baseUrl, endpoint)

/** Not on the command line: other users of a machine see the arguments of its processes. */
const secretOption = () =>
  new Option('--secret-file <path>', 'the secret that the provider chose, or - for standard input; else one is made')

function readSecret(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  } catch {
    throw new UsageError(`${file} cannot be read.`)
  }
}

function secretFor(provider: HookProvider, file: string | undefined): string {
  const secret = file === undefined ? newHookSecret() : readSecret(file)
  if (!isHookSecret(provider, secret)) throw new UsageError(`that is no secret of ${provider}.`)
  return secret
}

const create = () =>
  ofProfile(new Command('create'))
    .description("make an address for a provider's notifications; its secret is shown once")
    .addOption(secretOption())
    .addOption(new Option('--provider <name>', 'whose notifications').choices(hookProviderNames).makeOptionMandatory())
    .option(
      '--source <name>',
      'for generic: the name of the CRM or payment provider',
      checked(
        (text) => providerShape.test(text) && text === text.toLowerCase(),
        'Use lower-case letters, digits, _ . : and -.',
      ),
    )
    .action((options: Options & { provider: HookProvider; source?: string; secretFile?: string }) =>
      withPostgres(async (pool) => {
        const { profile: profileId, provider, source = provider } = options
        await profileCalled(pool, profileId)
        if (provider !== 'generic' && source !== provider) throw new UsageError('--source is for generic addresses.')
        const secret = secretFor(provider, options.secretFile)
        const endpoint = await createHookEndpoint(pool, seals(), { profileId, provider, source, secret })
        print({ endpoint_id: endpoint.id, address: addressOf(endpoint), secret }, options)
      }),
    )

const list = () =>
  ofProfile(new Command('list'))
    .description('list the addresses of a profile')
    .action((options: Options) =>
      withPostgres(async (pool) => {
        const rows = (await listHookEndpoints(pool, options.profile)).map((endpoint) => ({
          endpoint_id: endpoint.id,
          provider: endpoint.provider,
          source: endpoint.source,
          address: addressOf(endpoint),
          last_delivery_at: endpoint.lastDeliveryAt?.toISOString() ?? null,
        }))
        if (options.json) console.log(JSON.stringify(rows))
        else
          for (const row of rows)
            console.log(`${row.address}  ${row.source}  ${row.last_delivery_at ?? 'never called'}`)
      }),
    )

const rotate = () =>
  ofProfile(new Command('rotate'))
    .description(`change the secret of an address; the one before holds ${rotationHours} hours more`)
    .argument('<endpoint id>')
    .addOption(secretOption())
    .option('--at-once', 'end the secret before now')
    .action((id: string, options: Options & { atOnce?: boolean; secretFile?: string }) =>
      withPostgres(async (pool) => {
        const { provider } = await existing(pool, options.profile, id)
        const secret = secretFor(provider, options.secretFile)
        const change = { profileId: options.profile, id, secret, isAtOnce: options.atOnce ?? false }
        await rotateHookSecret(pool, seals(), change)
        print({ endpoint_id: id, secret }, options)
      }),
    )

const revoke = () =>
  ofProfile(new Command('revoke'))
    .description('close an address')
    .argument('<endpoint id>')
    .action((id: string, options: Options) =>
      withPostgres(async (pool) => {
        await existing(pool, options.profile, id)
        await revokeHookEndpoint(pool, options.profile, id)
        print({ endpoint_id: id, revoked: true }, options)
      }),
    )

const deliveries = () =>
  ofProfile(new Command('deliveries'))
    .description('list the newest notifications and what became of them')
    .option('--unmappable', 'only those that were not understood')
    .action((options: Options & { unmappable?: boolean }) =>
      withPostgres(async (pool) => {
        const status = options.unmappable ? ('unmappable' as const) : undefined
        const rows = await listDeliveries(pool, options.profile, { status, limit: 100 })
        if (options.json) console.log(JSON.stringify(rows))
        else {
          for (const row of rows) {
            console.log(`${row.receivedAt.toISOString()}  ${row.id}  ${row.topic}  ${row.status}  ${row.reason ?? ''}`)
          }
        }
      }),
    )

const payload = () =>
  new Command('payload')
    .description('print the body of a notification as it came; it may name a person')
    .argument('<delivery id>')
    .requiredOption('--profile <id>', 'the profile it belongs to')
    .action((id: string, options: { profile: string }) =>
      withPostgres(async (pool) => {
        const delivery = await findDelivery(pool, options.profile, id)
        if (!delivery) throw new UsageError(`the profile has no delivery ${id}.`)
        const body = await openPayload(vaultOf(pool), seals(), delivery)
        if (!body) throw new UsageError('its payload went with the person it named.')
        process.stdout.write(`${body.toString('utf8')}\n`)
      }),
    )

const replay = () =>
  new Command('replay')
    .description('map notifications again that were not understood, once the reason is mended')
    .option('--profile <id>', 'only those of a profile')
    .option('--dry-run', 'say what could be read now, and change nothing')
    .option('--json', 'print JSON')
    .action((options: { profile?: string; dryRun?: boolean; json?: boolean }) =>
      withPostgres(async (pool) => {
        const bar = progressBar(process.stderr, undefined)
        try {
          const counts = await replayDeliveries(
            { postgres: pool, vault: vaultOf(pool), hookSeals: seals() },
            {
              profileId: options.profile,
              isDryRun: options.dryRun ?? false,
              onProgress: (done) => bar.update(done, `${done} read again`),
            },
          )
          print({ ...counts }, options)
        } finally {
          bar.end()
        }
      }),
    )

const seals = (): HookSeals => hookSeals(loadConfig().secret)

const vaultOf = (pool: pg.Pool) => postgresVault(pool, vaultKeys(loadConfig().secret), { timeoutMs: 10_000 })

async function existing(sql: Sql, profileId: string, id: string): Promise<HookEndpoint> {
  const endpoint = await findHookEndpoint(sql, profileId, id)
  if (!endpoint) throw new UsageError(`the profile has no live address ${id}: "touchline hooks list" shows them.`)
  return endpoint
}
