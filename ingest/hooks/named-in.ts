import { z } from 'zod'
import { normalise } from '../../domain/identifiers.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { Identifier, IdentifierType } from '../../schemas/messages.ts'
import type { Fact } from './facts.ts'
import type { Received } from './notification.ts'

export interface Named {
  /** Everybody whom the payload names. */
  tokens: string[]
  /** What it is sealed under; undefined where it names nobody who has a key. */
  key: { token: string; key: Buffer } | undefined
  /** It names a customer who was erased, by the key or as whose a payment or an outcome was: nothing of it may be kept. */
  isErased: boolean
}

const ofErased: Named = { tokens: [], key: undefined, isErased: true }

/**
 * Everybody in it: who the messages are about, and whoever is written anywhere else in the payload, which is all there is
 * of one that is not understood.
 */
export async function namedIn(
  vault: Vault,
  profileId: string,
  facts: Fact[] | { failed: string },
  { json, body }: Received,
): Promise<Named> {
  if (!('failed' in facts) && facts.some(({ isOfErased }) => isOfErased)) return ofErased
  const customerKeys = customerKeysOf(json)
  // As at the other doors, the key is asked for first: the vault learns nothing of what was sent beside an erased one.
  const known = await vault.lookUp(profileId, customerKeys)
  if (known.some((entry) => entry?.isErased)) return ofErased
  const told = 'failed' in facts ? [] : facts.flatMap(identifiersOf)
  const written = [...customerKeys, ...writtenIn(body.toString('utf8'))]
  const found = written.length > 0 ? await vault.tokens(profileId, written) : []
  const tokens = [...new Set([...told, ...found].map(({ token }) => token))]
  if (tokens.length === 0) return { tokens, key: undefined, isErased: false }
  const keys = await vault.keys(tokens.map((token) => ({ profileId, token })))
  // An erased key seals nothing; the payload then stays under the service's own until it is swept.
  const token = tokens.find((one) => keys.has(one))
  return { tokens, key: token ? { token, key: keys.get(token)! } : undefined, isErased: false }
}

const identifiersOf = (fact: Fact): Identifier[] =>
  fact.kind === 'payment' ? fact.payment.identifiers : fact.kind === 'outcome' ? fact.outcome.identifiers : []

type Value = { type: IdentifierType; value: string }

const normalised = (type: IdentifierType, text: string, country: string | null = null): Value[] => {
  const checked = normalise(type, text, { country })
  return checked.ok ? [{ type, value: checked.value }] : []
}

const WithKey = z.looseObject({ external_id: z.union([z.string(), z.int()]).transform(String) })
const OurOwnShape = z.looseObject({ customer: z.unknown().optional(), contact: z.unknown().optional() })

/** Only our own shape has them. */
function customerKeysOf(json: unknown): Value[] {
  const { customer, contact } = OurOwnShape.safeParse(json).data ?? {}
  return [customer, contact].flatMap((one) => {
    const named = WithKey.safeParse(one)
    return named.success ? normalised('external_customer_id', named.data.external_id) : []
  })
}

const emailShape = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}/g
const dialledShape = /\+\d[\d\s().-]{6,18}\d/g
const phoneField = /"[^"]{0,40}?(?:phone|mobile|cell|whatsapp)[^"]{0,40}"\s*:\s*"?([+\d(][\d\s().-]{5,24})/gi
const nationalIdField = /"(?:national_id|rut)"\s*:\s*"([^"]{1,32})"/gi
const countryField = /"country(?:_code)?"\s*:\s*"([A-Za-z]{2})"/
const mostOfAType = 20

function writtenIn(text: string): Value[] {
  const country = countryField.exec(text)?.[1]?.toUpperCase() ?? null
  const all = (shape: RegExp) => [...new Set(Array.from(text.matchAll(shape), ([whole, field]) => field ?? whole))]
  const values = (type: IdentifierType, texts: string[]) =>
    texts.slice(0, mostOfAType).flatMap((one) => normalised(type, one, country))
  return [
    ...values('national_id', all(nationalIdField)),
    ...values('email', all(emailShape)),
    ...values('phone', [...all(phoneField), ...all(dialledShape)]),
  ]
}
