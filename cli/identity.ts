import { Command } from 'commander'
import type pg from 'pg'
import { isUuid } from '../domain/ids.ts'
import { vaultKeys } from '../domain/sealing.ts'
import { keptWith, type NewCut } from '../domain/unmerge.ts'
import { loadConfig } from '../infra/config.ts'
import { identityCuts } from '../postgres/stores/identity-cuts.ts'
import { type CustomerIdentity, cutsOf, describeCustomer } from '../postgres/stores/identity-view.ts'
import { postgresVault } from '../postgres/stores/vault.ts'
import { confirm } from './confirm.ts'
import { customersAfter, describe, printCustomers, printIdentity } from './identity/describe.ts'
import { findCustomer, findTokens, parseIdentifier, type Selector, withSelector } from './identity/selector.ts'
import { profileCalled } from './profile-called.ts'
import { list, print, UsageError, withPostgres } from './with-postgres.ts'

interface Options extends Selector {
  profile: string
  json?: boolean
  yes?: boolean
}

interface UnmergeOptions extends Options {
  separate: string
}

export const command = () => new Command().addCommand(show()).addCommand(unmerge()).addCommand(undoCut())

const show = () =>
  withSelector(new Command('show'))
    .description("show a customer's identifiers and how they came together, values masked")
    .option('--json', 'print JSON')
    .action((options: Options) =>
      withPostgres(async (pool) => {
        const vault = await openVault(pool, options.profile)
        const { customerId } = await findCustomer(pool, vault, options.profile, options)
        const shown = describe(customerId, await describeCustomer(pool, options.profile, customerId))
        if (options.json) console.log(JSON.stringify(shown))
        else printIdentity(shown)
      }),
    )

const unmerge = () =>
  withSelector(new Command('unmerge'))
    .description('take identifiers out of a customer, for good: no link joins the two again')
    .requiredOption('--separate <type:value,…>', 'what belongs to somebody else')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action((options: UnmergeOptions) =>
      withPostgres(async (pool) => {
        const { profile: profileId } = options
        const vault = await openVault(pool, profileId)
        const { customerId, token } = await findCustomer(pool, vault, profileId, options)
        const separated = [...new Set(await findTokens(vault, profileId, identifiersOf(options.separate)))]
        const identity = await describeCustomer(pool, profileId, customerId)
        const standing = await standingCut(pool, profileId, identity, separated, token)
        if (standing) {
          print({ cut_id: standing, customer_id: customerId, is_new: false }, options)
          return
        }
        const cut = cutOf(profileId, identity, separated, token)
        const cuts = identityCuts(pool)
        const members = identity.identifiers.map((i) => i.token)
        const after = customersAfter(await cuts.preview(cut), members)
        if (!options.json) {
          printIdentity({ ...describe(customerId, identity), blocked_links: [], cuts: [], ledger: [] })
          printCustomers('becomes', after)
        }
        if (!(await confirm('Separate them?', options))) throw new UsageError('nothing was changed.')
        const { cutId, isNew } = await cuts.make(cut)
        print({ cut_id: cutId, customer_id: customerId, is_new: isNew, ...(options.json ? { after } : {}) }, options)
      }),
    )

const undoCut = () =>
  new Command('undo-cut')
    .description('take an unmerge back: the links that it blocked join again')
    .argument('<cut id>')
    .requiredOption('--profile <id>', 'the profile that the cut belongs to')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action((cutId: string, options: Options) =>
      withPostgres(async (pool) => {
        await openVault(pool, options.profile)
        if (!isUuid(cutId)) throw new UsageError(`the profile has no cut ${cutId}.`)
        if (!(await confirm('Take the cut back?', options))) throw new UsageError('nothing was changed.')
        if (!(await identityCuts(pool).undo(options.profile, cutId))) {
          throw new UsageError(`the profile has no cut ${cutId}.`)
        }
        print({ cut_id: cutId, is_undone: true }, options)
      }),
    )

async function openVault(pool: pg.Pool, profileId: string) {
  await profileCalled(pool, profileId)
  return postgresVault(pool, vaultKeys(loadConfig().secret), { timeoutMs: 10_000 })
}

/** The cut that already keeps the tokens from this customer, so that a repeated command changes nothing. */
async function standingCut(
  pool: pg.Pool,
  profileId: string,
  { identifiers }: CustomerIdentity,
  separated: string[],
  anchor: string | undefined,
): Promise<string | undefined> {
  const own = new Set(anchor ? [anchor] : identifiers.map((i) => i.token).filter((token) => !separated.includes(token)))
  const cuts = Map.groupBy(await cutsOf(pool, profileId, separated), ({ cutId }) => cutId)
  return [...cuts].find(([, sides]) => {
    const sideOf = new Map(sides.map(({ token, side }) => [token, side]))
    const side = sideOf.get(separated[0]!)
    const isOneSide = separated.every((token) => sideOf.get(token) === side)
    return side && isOneSide && sides.some((other) => own.has(other.token) && other.side !== side)
  })?.[0]
}

function cutOf(
  profileId: string,
  { identifiers, links }: CustomerIdentity,
  separated: string[],
  anchor: string | undefined,
): NewCut {
  const members = identifiers.map((i) => i.token)
  const strangers = separated.filter((token) => !members.includes(token)).length
  if (strangers > 0) throw new UsageError(`${strangers} of what is to be separated is not this customer's.`)
  const stays = anchor ?? members.find((token) => !separated.includes(token))
  if (!stays || separated.includes(stays)) {
    throw new UsageError('nothing would be left of the customer: separate less, or choose it by what stays.')
  }
  const live = links.filter(({ blockedBy }) => blockedBy === null)
  return { profileId, kept: keptWith(stays, members, live, new Set(separated)), separated }
}

/** Not a parser of commander's, which repeats what it refuses. */
function identifiersOf(text: string) {
  const parsed = list(text).map(parseIdentifier)
  const good = parsed.filter((identifier) => identifier !== undefined)
  if (good.length === 0 || good.length < parsed.length) {
    throw new UsageError('write --separate as type:value, such as email:name@example.com or phone:+56912345678.')
  }
  return good
}
