import { Command, Option } from 'commander'
import { z } from 'zod'
import { hashPassword, shortestPassword } from '../domain/passwords.ts'
import { randomText } from '../domain/random-text.ts'
import { type Role, roles } from '../domain/roles.ts'
import { isBreached } from '../infra/breached-passwords.ts'
import { transaction } from '../postgres/client.ts'
import { revokeMcpTokensOf } from '../postgres/stores/mcp-tokens.ts'
import { endSessionsOf } from '../postgres/stores/sessions.ts'
import { findWorkspaces } from '../postgres/stores/tenancy.ts'
import { changePassword, createUser, findUserByEmail } from '../postgres/stores/users.ts'
import { checked, print, UsageError, withPostgres } from './with-postgres.ts'

interface CreateOptions {
  email: string
  password?: string
  workspace?: string
  role: Role
  json?: boolean
}

const isEmail = (text: string) => z.email().safeParse(text.trim()).success
const isGoodPassword = (text: string) => [...text].length >= shortestPassword && !isBreached(text)

export const command = () => new Command().addCommand(create()).addCommand(resetPassword())

const resetPassword = () =>
  new Command('reset-password')
    .description('give a console user a new random password, shown once; ends their sessions and tokens')
    .requiredOption('--email <email>', 'who signs in')
    .option('--json', 'print JSON')
    .action((options: { email: string; json?: boolean }) =>
      withPostgres(async (pool) => {
        const user = await findUserByEmail(pool, options.email)
        if (!user) throw new UsageError('nobody has that e-mail address.')
        const password = randomText(20)
        const passwordHash = await hashPassword(password)
        await transaction(pool, async (tx) => {
          await changePassword(tx, user.id, passwordHash)
          await endSessionsOf(tx, user.id)
          await revokeMcpTokensOf(tx, user.id)
        })
        print({ user_id: user.id, password }, options)
      }),
    )

const create = () =>
  new Command('create')
    .description('create a console user')
    .requiredOption('--email <email>', 'who signs in', checked(isEmail, 'It is not an e-mail address.'))
    .option(
      '--password <password>',
      'a random one is made and shown once when there is none',
      checked(isGoodPassword, `At least ${shortestPassword} characters, and none of those that attackers try first.`),
    )
    .option('--workspace <id or name>', 'a workspace to join')
    .addOption(new Option('--role <role>', 'the role there').choices([...roles]).default('owner'))
    .option('--json', 'print JSON')
    .action((options: CreateOptions) =>
      withPostgres(async (pool) => {
        const password = options.password ?? randomText(20)
        const [workspace] = options.workspace ? await findWorkspaces(pool, options.workspace) : []
        if (options.workspace && !workspace) throw new UsageError(`there is no workspace "${options.workspace}".`)
        const { email, role } = options
        const user = await createUser(pool, { email, password, workspaceId: workspace?.id, role })
        if (!user) throw new UsageError('somebody with that e-mail address exists already.')
        const membership = workspace ? { workspace_id: workspace.id, role } : {}
        print({ user_id: user.userId, ...membership, ...(options.password ? {} : { password }) }, options)
      }),
    )
