import { Command, InvalidArgumentError } from 'commander'
import { isPersonal, type Scope } from '../domain/scopes.ts'
import { parseTime } from '../domain/time.ts'
import { transaction } from '../postgres/client.ts'
import { createApiKey, defaultRateLimitPerMinute, revokeApiKey } from '../postgres/stores/api-keys.ts'
import { findApp } from '../postgres/stores/apps.ts'
import { widenGrant } from '../postgres/stores/grants.ts'
import { findProfile } from '../postgres/stores/tenancy.ts'
import { profileCalled } from './profile-called.ts'
import { knownScopes } from './scope-list.ts'
import { print, UsageError, withPostgres } from './with-postgres.ts'

interface CreateOptions {
  profile: string
  scopes: Scope[]
  rateLimit: number
  expires?: Date
  app?: string
  json?: boolean
}

export const command = () => new Command().addCommand(create()).addCommand(revoke())

const create = () =>
  new Command('create')
    .description('create an API key; it is shown once')
    .requiredOption('--profile <id>', 'the profile it is bound to')
    .requiredOption('--scopes <scopes>', 'what it may do, separated by commas', knownScopes)
    .option('--rate-limit <requests>', 'requests a minute', wholeNumber, defaultRateLimitPerMinute)
    .option('--expires <date>', 'when it stops working: a day (from its first moment, UTC) or a time', time)
    .option('--app <id>', 'the partner app that holds it')
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      withPostgres(async (pool) => {
        const profile = await profileCalled(pool, options.profile)
        const app = options.app ? await findApp(pool, options.app) : undefined
        if (options.app && !app) throw new UsageError(`there is no app ${options.app}.`)
        // SPEC 5.5: no key reads persons on a healthcare profile, so none says that it does.
        const personal = options.scopes.filter(isPersonal)
        if (profile.isHealthcare && personal.length > 0) {
          throw new UsageError(`a healthcare profile gives no ${personal.join(', ')} to a key.`)
        }
        const { scopes: granted, rateLimit: rateLimitPerMinute, expires: expiresAt } = options
        const key = { profileId: profile.id, scopes: granted, appId: app?.id, rateLimitPerMinute, expiresAt }
        const created = await transaction(pool, async (tx) => {
          // A key of an app lives under a grant; whoever runs this may give one.
          if (app) await widenGrant(tx, { appId: app.id, profileId: profile.id, scopes: granted })
          return createApiKey(tx, key)
        })
        if (expiresAt && expiresAt.getTime() <= Date.now()) console.error('warning: this key has already expired.')
        print({ key_id: created.keyId, key: created.key }, options)
      }),
    )

const revoke = () =>
  new Command('revoke')
    .description('end an API key at once')
    .argument('<key id>')
    .requiredOption('--profile <id>', 'the profile it is bound to')
    .action((keyId: string, options: { profile: string }) =>
      withPostgres(async (pool) => {
        const profile = await findProfile(pool, options.profile)
        const isRevoked = profile && (await revokeApiKey(pool, profile.id, keyId))
        if (!isRevoked) throw new UsageError(`the profile has no live key ${keyId}.`)
        console.log(`${keyId} is revoked.`)
      }),
    )

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number above zero.')
  return Number(text)
}

function time(text: string): Date {
  const millis = parseTime(text)
  if (millis === undefined) throw new InvalidArgumentError('Use a day such as 2027-01-31, or an ISO 8601 time.')
  return new Date(millis)
}
