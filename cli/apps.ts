import { Command, InvalidArgumentError, Option } from 'commander'
import type pg from 'pg'
import { beyond, isPersonal, type Scope } from '../domain/scopes.ts'
import { transaction } from '../postgres/client.ts'
import {
  type AppTier,
  appTiers,
  createApp,
  findApp,
  findLiveApp,
  replaceAppSecret,
  revokeApp,
} from '../postgres/stores/apps.ts'
import { grantApp, revokeGrant } from '../postgres/stores/grants.ts'
import { holdProfile } from '../postgres/stores/profiles.ts'
import { profileCalled } from './profile-called.ts'
import { knownScopes } from './scope-list.ts'
import { list, print, UsageError, withPostgres } from './with-postgres.ts'

interface CreateOptions {
  name: string
  tier: AppTier
  redirectUris: string[]
  returnOrigins?: string[]
  scopes?: Scope[]
  json?: boolean
}

export const command = () =>
  new Command()
    .addCommand(create())
    .addCommand(grant())
    .addCommand(ungrant())
    .addCommand(rotateSecret())
    .addCommand(shutOut())

const create = () =>
  new Command('create')
    .description('register a partner app; its secret is shown once')
    .requiredOption('--name <name>', 'what the app is called')
    .addOption(new Option('--tier <tier>', 'its rate limit').choices([...appTiers]).default('standard'))
    .option('--redirect-uris <uris>', 'where a consent may return to, separated by commas', urls, [])
    .option('--return-origins <origins>', 'origins of return_url; those of the redirect URIs by default', urls)
    .option('--scopes <scopes>', 'what it may ask for; everything without persons by default', knownScopes)
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      withPostgres(async (pool) => {
        const { name, tier, redirectUris, scopes } = options
        const origins = (options.returnOrigins ?? redirectUris).map((uri) => new URL(uri).origin)
        const app = await createApp(pool, { name, tier, redirectUris, returnOrigins: [...new Set(origins)], scopes })
        print({ app_id: app.appId, client_id: app.clientId, client_secret: app.clientSecret }, options)
      }),
    )

const grant = () =>
  new Command('grant')
    .description('let an app act on a profile, in place of any earlier grant')
    .argument('<app>', 'its id or client id')
    .requiredOption('--profile <id>', 'the profile')
    .requiredOption('--scopes <scopes>', 'what it may do there, separated by commas', knownScopes)
    .option('--json', 'print JSON')
    .action((id: string, options: { profile: string; scopes: Scope[]; json?: boolean }) =>
      withPostgres(async (pool) => {
        const appId = await appCalled(pool, id)
        const given = await transaction(pool, async (tx) => {
          const { id: profileId } = await profileCalled(pool, options.profile)
          const profile = await holdProfile(tx, profileId)
          // SPEC 5.5: a partner never gets person-level reads on a healthcare profile.
          const personal = options.scopes.filter(isPersonal)
          if (profile?.isHealthcare !== false && personal.length > 0) {
            throw new UsageError(`a healthcare profile gives no ${personal.join(', ')} to an app.`)
          }
          const app = await findLiveApp(tx, appId)
          if (!app) throw new UsageError(`the app ${id} has been shut out.`)
          const missing = beyond(options.scopes, app.scopes)
          if (missing.length > 0) throw new UsageError(`the app may not ask for ${missing.join(', ')}.`)
          return grantApp(tx, { appId, profileId, scopes: options.scopes })
        })
        print({ app_id: appId, profile_id: options.profile, scopes: given.scopes.join(',') }, options)
      }),
    )

const ungrant = () =>
  new Command('ungrant')
    .description('take an app’s grant on a profile away, with every key under it')
    .argument('<app>', 'its id or client id')
    .requiredOption('--profile <id>', 'the profile')
    .action((id: string, options: { profile: string }) =>
      withPostgres(async (pool) => {
        const profile = await profileCalled(pool, options.profile)
        const isRevoked = await revokeGrant(pool, await appCalled(pool, id), profile.id)
        if (!isRevoked) throw new UsageError('the app has no grant on this profile.')
        console.log('The grant is revoked.')
      }),
    )

const rotateSecret = () =>
  new Command('rotate-secret')
    .description('give an app a new client secret; the old one stops working')
    .argument('<app>', 'its id or client id')
    .option('--json', 'print JSON')
    .action((id: string, options: { json?: boolean }) =>
      withPostgres(async (pool) => {
        const appId = await appCalled(pool, id)
        print({ app_id: appId, client_secret: await replaceAppSecret(pool, appId) }, options)
      }),
    )

const shutOut = () =>
  new Command('revoke')
    .description('shut an app out: its tokens and keys stop working')
    .argument('<app>', 'its id or client id')
    .action((id: string, _options: object) =>
      withPostgres(async (pool) => {
        await revokeApp(pool, await appCalled(pool, id))
        console.log('The app is shut out.')
      }),
    )

async function appCalled(pool: pg.Pool, id: string): Promise<string> {
  const app = await findApp(pool, id)
  if (!app) throw new UsageError(`there is no app ${id}.`)
  return app.id
}

function urls(text: string): string[] {
  const found = list(text)
  const bad = found.find((uri) => !URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol))
  if (bad !== undefined) throw new InvalidArgumentError(`"${bad}" is not an http(s) address.`)
  return found
}
