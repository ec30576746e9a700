import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { type ImportedPerson, type ImportReason, importReasons, readImportRow } from '../../../domain/import-rows.ts'
import { linkKey, type Observation } from '../../../domain/observation.ts'
import { sealEntries } from '../../../domain/sealed-person.ts'
import { one } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import { observeNow, type Taken } from '../../../postgres/stores/identity.ts'
import { enqueueAll } from '../../../postgres/stores/outbox.ts'
import type { Vault, VaultEntry } from '../../../postgres/stores/vault.ts'
import type { IdentifierType, IdentitySighting } from '../../../schemas/messages.ts'
import { topics } from '../../../schemas/topics.ts'
import { operation } from '../../identity-operation.ts'

const maxRows = 1000

const ImportRow = z
  .object({
    phone: z.string().nullish().meta({ description: 'Normalised to E.164 when it can be read.' }),
    email: z.string().nullish(),
    national_id: z
      .string()
      .nullish()
      .meta({ description: 'A Chilean RUT in any format.', examples: ['12.345.678-5'] }),
    external_id: z.string().nullish().meta({ description: 'Your own customer id; never enough alone.' }),
    first_name: z.string().nullish().meta({ description: 'Fills in a name that is missing.' }),
    last_name: z.string().nullish().meta({ description: 'Fills in a name that is missing.' }),
  })
  .meta({ id: 'ImportRow', description: 'One person: at least one of phone, email and national_id.' })

const ImportResult = z
  .object({
    index: z.int(),
    status: z.enum(['created', 'matched', 'rejected']),
    customer_profile_id: z.uuid().nullable(),
    reason: z.enum(importReasons).optional().meta({ description: 'Rejected rows.' }),
  })
  .meta({ id: 'ImportResult' })

export const importCustomers = operation({
  id: 'importCustomers',
  method: 'POST',
  url: '/customers',
  summary: 'Import customers',
  description:
    'Brings identities together in the identity graph; no outcome is recorded. Every row has a result, in the order sent; ' +
    'a row that cannot be used is rejected by itself. Sending the same rows again matches what is there.',
  tags: ['Customers'],
  scopes: ['attribution:write'],
  idempotency: 'natural',
  bodyLimitBytes: 4 * 1024 * 1024,
  body: z.object({
    country: z
      .string()
      .transform((country) => country.toUpperCase())
      .pipe(z.literal('CL', { error: 'must be CL, the only country that is supported' }))
      .default('CL')
      .meta({ description: 'ISO 3166-1 alpha-2: whose national_id, and the region of phones without +.' }),
    // Rows are judged one by one: a row that is no object is a rejected row, not a failed request.
    rows: z
      .array(z.union([ImportRow, z.unknown()]))
      .max(maxRows)
      .meta({ description: `Up to ${maxRows} rows.` }),
  }),
  response: one(
    z
      .object({
        results: z.array(ImportResult),
        summary: z.object({ total: z.int(), created: z.int(), matched: z.int(), rejected: z.int() }),
      })
      .meta({ id: 'Import' }),
  ),
  handler: async ({ body, profile, request, postgres, vault }) => {
    const read = body.rows.map((row) => readImportRow(row, body.country))
    const people = read.map((row) => (row.ok ? row.value : undefined))
    const entries = await tokensOf(vault, profile.id, people)
    const sightings = people.map((person, at) =>
      person && entries[at] ? sightingOf(profile.id, request.receivedAt, at, person, entries[at]) : undefined,
    )
    const taken = await asProfile(postgres, profile.id, async (tx) => {
      const told = sightings.filter((sighting) => sighting !== undefined)
      const observations = told.map(({ observation }) => observation)
      const [taken, messages] = await Promise.all([observeNow(tx, profile.id, observations), sealInTurns(told)])
      // What says nothing new needs no message either: it would change nothing in any order.
      const news = messages.filter((_, at) => isNews(told[at]!.observation, taken))
      await enqueueAll(tx, topics.identity, news)
      return taken
    })
    const results = resultsOf(
      read.map((row) => (row.ok ? undefined : row.reason)),
      sightings.map((sighting) => sighting && taken.customerOf.get(sighting.subject)),
      taken.created,
    )
    const count = (status: string) => results.filter((result) => result.status === status).length
    return {
      results,
      summary: {
        total: results.length,
        created: count('created'),
        matched: count('matched'),
        rejected: count('rejected'),
      },
    }
  },
})

type Entry = VaultEntry & { type: IdentifierType; value: string }

/** The tokens of each row; none for a row with an erased key, of which the vault learns nothing else. */
async function tokensOf(
  vault: Vault,
  profileId: string,
  people: (ImportedPerson | undefined)[],
): Promise<(Entry[] | undefined)[]> {
  const isKey = ({ type }: { type: IdentifierType }) => type === 'external_customer_id'
  const keys = people.flatMap((person) => person?.identifiers.filter(isKey) ?? [])
  const known = await vault.lookUp(profileId, keys)
  const erased = new Set(keys.flatMap(({ value }, at) => (known[at]?.isErased ? value : [])))
  const named = people.map((person) =>
    person?.identifiers.some((one) => isKey(one) && erased.has(one.value)) ? [] : (person?.identifiers ?? []),
  )
  const entries = (await vault.tokens(profileId, named.flat())).values()
  return named.map((identifiers) => {
    const own = identifiers.map(() => entries.next().value!)
    return own.length > 0 && own.every(({ isErased }) => !isErased) ? own : undefined
  })
}

interface ImportSighting {
  subject: string
  observation: Observation
  seal: () => IdentitySighting
}

const sealedInATurn = 50

/** Values are sealed while Postgres works, a few at a time, so that its answers and other requests come in between. */
async function sealInTurns(sightings: ImportSighting[]): Promise<IdentitySighting[]> {
  const messages: IdentitySighting[] = []
  for (let from = 0; from < sightings.length; from += sealedInATurn) {
    await nextTurn()
    for (const { seal } of sightings.slice(from, from + sealedInATurn)) messages.push(seal())
  }
  return messages
}

function sightingOf(
  profileId: string,
  receivedAt: Date,
  at: number,
  { first_name, last_name }: ImportedPerson,
  entries: Entry[],
): ImportSighting {
  const occurredAt = receivedAt.getTime()
  const id = rowId(at)
  return {
    subject: entries[0]!.token,
    observation: {
      profileId,
      evidence: evidenceOrder(occurredAt, id),
      isTrusted: true,
      visitorId: null,
      identifiers: entries.map(({ type, token, value }) => ({ type, token, value })),
      firstName: first_name ?? null,
      lastName: last_name ?? null,
    },
    seal: () => ({
      profile_id: profileId,
      sighting_id: id,
      occurred_at: occurredAt,
      ...sealEntries(profileId, entries, { first_name, last_name }),
    }),
  }
}

/** Unique, and in the order of the rows: of two that say different things the first wins. */
const rowId = (at: number) => `${String(at).padStart(8, '0')}${randomUUID().slice(8)}`

function isNews({ identifiers, isTrusted }: Observation, { news }: Taken): boolean {
  const tokens = identifiers.map(({ token }) => token).sort()
  return tokens.some(
    (a, n) => news.identifiers.has(a) || tokens.slice(n + 1).some((b) => news.links.has(linkKey({ a, b, isTrusted }))),
  )
}

/** The first row of somebody new created them; every other one found them there. */
function resultsOf(
  reasons: (ImportReason | undefined)[],
  customers: (string | undefined)[],
  created: ReadonlySet<string>,
): z.input<typeof ImportResult>[] {
  const met = new Set<string>()
  return reasons.map((reason, index) => {
    const customer = customers[index]
    if (!customer) return { index, status: 'rejected', customer_profile_id: null, reason: reason ?? 'erased' }
    const isFirst = created.has(customer) && !met.has(customer)
    met.add(customer)
    return { index, status: isFirst ? 'created' : 'matched', customer_profile_id: customer }
  })
}
