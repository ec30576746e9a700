import { Command, Option } from 'commander'
import type pg from 'pg'
import { type PrivacyMode, privacyModes } from '../domain/credentials.ts'
import { isCurrency } from '../domain/currencies.ts'
import { isUuid } from '../domain/ids.ts'
import { timeZones } from '../domain/time-zones.ts'
import { createProfile, createWorkspace, findWorkspaces, listProfiles } from '../postgres/stores/tenancy.ts'
import { checked, print, UsageError, withPostgres } from './with-postgres.ts'

interface CreateOptions {
  name: string
  workspace?: string
  currency: string
  timezone: string
  privacyMode: PrivacyMode
  json?: boolean
}

export const command = () => new Command().addCommand(create()).addCommand(listAll())

const create = () =>
  new Command('create')
    .description('create a profile with its default conversion definitions')
    .requiredOption(
      '--name <name>',
      'what the profile is called',
      checked((text) => text.trim() !== '', 'It is empty.'),
    )
    .option('--workspace <id or name>', 'the workspace it belongs to; a new one when there is none of that name')
    .option('--currency <code>', 'reporting currency', currency, 'USD')
    .option(
      '--timezone <zone>',
      'whose days reports use',
      checked((name) => timeZones.has(name), 'Use an IANA name such as America/Santiago.'),
      'UTC',
    )
    .addOption(new Option('--privacy-mode <mode>').choices([...privacyModes]).default('standard'))
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      withPostgres(async (pool) => {
        const { name, currency, timezone, privacyMode } = options
        const workspaceId = options.workspace && (await workspaceFor(pool, options.workspace))
        const created = await createProfile(pool, { name, workspaceId, currency, timezone, privacyMode })
        print({ profile_id: created.profileId, workspace_id: created.workspaceId }, options)
      }),
    )

const listAll = () =>
  new Command('list')
    .description('list the profiles')
    .option('--json', 'print JSON, one profile a line')
    .action((options: { json?: boolean }) =>
      withPostgres(async (pool) => {
        for (const { id, workspaceId, name, currency, timezone, privacyMode } of await listProfiles(pool)) {
          const row = { profile_id: id, workspace_id: workspaceId, name, currency, timezone, privacy_mode: privacyMode }
          console.log(options.json ? JSON.stringify(row) : `${id}  ${name}  ${currency}  ${timezone}  ${privacyMode}`)
        }
      }),
    )

async function workspaceFor(pool: pg.Pool, idOrName: string): Promise<string> {
  const found = await findWorkspaces(pool, idOrName)
  if (found.length > 1) throw new UsageError(`several workspaces are called "${idOrName}": name one by its id.`)
  if (found[0]) return found[0].id
  if (isUuid(idOrName)) throw new UsageError(`there is no workspace ${idOrName}.`)
  return createWorkspace(pool, idOrName)
}

function currency(text: string): string {
  return checked(isCurrency, 'Use an ISO 4217 code such as USD or CLP.')(text.toUpperCase())
}
