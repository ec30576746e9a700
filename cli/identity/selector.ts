import type { Command } from 'commander'
import type pg from 'pg'
import { normalise } from '../../domain/identifiers.ts'
import { isUuid } from '../../domain/ids.ts'
import { identityStore } from '../../postgres/stores/identity.ts'
import { customerOfToken } from '../../postgres/stores/identity-view.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import { type IdentifierType, identifierTypes } from '../../schemas/messages.ts'
import { UsageError } from '../with-postgres.ts'

export interface Selector {
  customer?: string
  email?: string
  phone?: string
  externalId?: string
}

export const withSelector = (command: Command): Command =>
  command
    .requiredOption('--profile <id>', 'the profile that the customer belongs to')
    .option('--customer <id>', 'the customer by its id')
    .option('--email <address>', 'the customer who has this e-mail')
    .option('--phone <number>', 'the customer who has this phone, with its country code')
    .option('--external-id <id>', 'the customer who has this external customer id')

export interface Selected {
  customerId: string
  /** The identifier it was chosen by; none when it was chosen by its id. */
  token: string | undefined
}

export async function findCustomer(
  pool: pg.Pool,
  vault: Vault,
  profileId: string,
  { customer, email, phone, externalId }: Selector,
): Promise<Selected> {
  const values = Object.entries({ email, phone, external_customer_id: externalId }).flatMap(([type, value]) =>
    value === undefined ? [] : { type: type as IdentifierType, value },
  )
  if (values.length + (customer === undefined ? 0 : 1) !== 1) {
    throw new UsageError('name the customer by one of --customer, --email, --phone, --external-id.')
  }
  if (customer !== undefined) {
    const customerId = isUuid(customer) ? await identityStore(pool).survivor(profileId, customer) : null
    if (!customerId) throw new UsageError(`the profile has no customer ${customer}.`)
    return { customerId, token: undefined }
  }
  const [token] = await findTokens(vault, profileId, values)
  const customerId = await customerOfToken(pool, profileId, token!)
  if (!customerId) throw new UsageError(`no customer of the profile has this ${values[0]!.type}.`)
  return { customerId, token }
}

/** What is asked for is not repeated in a message: a terminal's output ends up in files. */
export async function findTokens(
  vault: Vault,
  profileId: string,
  wanted: { type: IdentifierType | 'token'; value: string }[],
): Promise<string[]> {
  const values = wanted.flatMap(({ type, value }) => {
    if (type === 'token') return []
    const normalised = normalise(type, value)
    if (!normalised.ok) throw new UsageError(`this ${type} is not one: ${normalised.reason.replaceAll('_', ' ')}.`)
    return { type, value: normalised.value }
  })
  const found = (await vault.find(profileId, values)).values()
  return wanted.map(({ type, value }) => {
    const token = type === 'token' ? value : found.next().value
    if (!token) throw new UsageError(`nobody in the profile has this ${type}.`)
    return token
  })
}

/** `email:a@b.cl`, `external_id:C-1`, or `token:…` for what was erased. */
export function parseIdentifier(text: string): { type: IdentifierType | 'token'; value: string } | undefined {
  const at = text.indexOf(':')
  const [name, value] = [text.slice(0, at), text.slice(at + 1)]
  const type = name === 'external_id' ? 'external_customer_id' : name
  if (type === 'token') return isUuid(value) ? { type, value } : undefined
  const known = identifierTypes.find((candidate) => candidate === type)
  return known && value !== '' ? { type: known, value } : undefined
}
