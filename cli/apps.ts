import { Command, InvalidArgumentError, Option } from 'commander'
import { type AppTier, appTiers, createApp } from '../postgres/stores/apps.ts'
import { list, print, withPostgres } from './with-postgres.ts'

interface CreateOptions {
  name: string
  tier: AppTier
  redirectUris: string[]
  returnOrigins?: string[]
  json?: boolean
}

export const command = () =>
  new Command().addCommand(
    new Command('create')
      .description('register a partner app; its secret is shown once')
      .requiredOption('--name <name>', 'what the app is called')
      .addOption(new Option('--tier <tier>', 'its rate limit').choices([...appTiers]).default('standard'))
      .option('--redirect-uris <uris>', 'where a consent may return to, separated by commas', urls, [])
      .option('--return-origins <origins>', 'origins of return_url; those of the redirect URIs by default', urls)
      .option('--json', 'print JSON')
      .action((options: CreateOptions, self: Command) =>
        withPostgres(self, async (pool) => {
          const { name, tier, redirectUris } = options
          const origins = (options.returnOrigins ?? redirectUris).map((uri) => new URL(uri).origin)
          const app = await createApp(pool, { name, tier, redirectUris, returnOrigins: [...new Set(origins)] })
          print({ app_id: app.appId, client_id: app.clientId, client_secret: app.clientSecret }, options)
        }),
      ),
  )

function urls(text: string): string[] {
  const found = list(text)
  const bad = found.find((uri) => !URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol))
  if (bad !== undefined) throw new InvalidArgumentError(`"${bad}" is not an http(s) address.`)
  return found
}
