import type pg from 'pg'
import type { Logger } from 'pino'
import type { Warehouse } from '../clickhouse/client.ts'
import { subjectRefsOfCustomers } from '../clickhouse/queries/subject-refs-of-customers.ts'
import { searchWords } from '../clickhouse/search-words.ts'
import type { CustomerSelector } from '../domain/customer-selectors.ts'
import {
  type ErasedPerson,
  type ErasureSecrets,
  hashedForms,
  wordFinder,
  writtenAlike,
  writtenForms,
} from '../domain/erasures.ts'
import { codeOf, nameOf } from '../infra/error-code.ts'
import {
  type AuditResult,
  completeErasures,
  countOpenTokens,
  eraseLeftovers,
  isPublished,
  postponeErasures,
  type QueuedErasure,
  returnedHashes,
  takeErasures,
} from '../postgres/stores/erasure-queue.ts'
import { searchTenantTables } from '../postgres/stores/erasure-search.ts'
import { areFreeTexts, eraseTexts } from './erased-texts.ts'
import { poll } from './runner/poll.ts'
import type { Running } from './runner/run.ts'

export interface ErasureDeps {
  postgres: pg.Pool
  warehouse: Warehouse
  secrets: ErasureSecrets
  logger?: Logger | undefined
}

const perPass = 20

/**
 * Finishes erasures: what the erasing transaction could not know, then a search of every store. Each step can be run
 * again, and an erasure is done only when a search has found nothing; a crash in between takes it up from the start.
 */
export const runErasures = (deps: ErasureDeps): Running =>
  poll({ name: 'erasures', work: () => finishErasures(deps), logger: deps.logger, idleMs: 250 })

/** One pass over the profile that has waited longest. */
export async function finishErasures(deps: ErasureDeps): Promise<{ hasMore: boolean }> {
  const queued = await takeErasures(deps.postgres, perPass)
  if (queued.length === 0) return { hasMore: false }
  try {
    await finish(deps, queued)
  } catch (error) {
    // A search that fails is tried again later; it must not end the processors, which poll would do after a while.
    const facts = { work: 'erasures', errorName: nameOf(error), code: codeOf(error) }
    deps.logger?.error(facts, 'the search failed: trying again')
    await postponeErasures(
      deps.postgres,
      queued.map(({ id }) => id),
      null,
    )
  }
  return { hasMore: true }
}

async function finish(deps: ErasureDeps, queued: QueuedErasure[]): Promise<void> {
  const { postgres, warehouse, secrets, logger } = deps
  const { profileId } = queued[0]!
  const ids = queued.map(({ id }) => id)
  const person = together(queued.map(({ id, search }) => secrets.openSearch(id, search)))
  // A payment is found through the identity map: wait until it is as it was when the customer was erased.
  if (!(await isPublished(postgres, profileId, person.tokens))) return postponeErasures(postgres, ids, null)
  const customers = person.customerIds
  const refs = await warehouse.run(subjectRefsOfCustomers, { profile: profileId, customers })
  await eraseLeftovers(postgres, profileId, { customerIds: customers, tokens: person.tokens, subjectRefs: refs })
  const { result, isClean, take } = await search(deps, profileId, person)
  if (isClean) return completeErasures(postgres, ids, result)
  // Of several, those of whom nothing was found must not wait for the others.
  if (queued.length > 1) {
    for (const one of queued) await finish(deps, [one])
    return
  }
  const rewritten = await take()
  if (rewritten > 0) {
    const again = await search(deps, profileId, person)
    if (again.isClean) return completeErasures(postgres, ids, { ...again.result, rewritten })
  }
  logger?.error({ work: 'erasures', erasure: ids[0], result }, 'an erased identifier was found: trying again')
  await postponeErasures(postgres, ids, result)
}

const together = (people: ErasedPerson[]): ErasedPerson => ({
  customerIds: people.flatMap(({ customerIds }) => customerIds),
  tokens: people.flatMap(({ tokens }) => tokens),
  identifiers: people.flatMap(({ identifiers }) => identifiers),
})

/** Looks for what was erased in every store. A value that somebody holds, as whatever, is somebody else's now. */
async function search(
  { postgres, warehouse, secrets }: ErasureDeps,
  profileId: string,
  { tokens, identifiers }: ErasedPerson,
): Promise<{ result: AuditResult; isClean: boolean; take: () => Promise<number> }> {
  const hashOf = (identifier: CustomerSelector) => secrets.vaultHash(profileId, identifier)
  const hashed = identifiers.map((identifier) => ({
    identifier,
    hash: hashOf(identifier),
    alike: writtenAlike(identifier).map(hashOf),
  }))
  const returned = await returnedHashes(
    postgres,
    profileId,
    hashed.flatMap(({ hash, alike }) => [hash, ...alike]),
  )
  const sought = hashed.filter(({ hash, alike }) => ![hash, ...alike].some((one) => returned.has(one.toString('hex'))))
  const words = sought.flatMap(({ identifier }) => writtenForms(identifier))
  const finder = wordFinder(words)
  const openTokens = await countOpenTokens(postgres, profileId, tokens)
  const inPostgres = await searchTenantTables(postgres, profileId, {
    isFound: finder.isFound,
    hashes: sought.flatMap(({ identifier, hash }) => [hash, ...hashedForms(identifier)]),
  })
  const inClickhouse = await searchWords(warehouse, profileId, words, finder.isFound)
  const { found } = inClickhouse
  return {
    // What a merchant's own list names is not ours to change: its ads, stages and definitions say what figures are.
    take: async () => (areFreeTexts(found) ? eraseTexts({ postgres, warehouse }, profileId, found, words, finder) : 0),
    isClean: openTokens === 0 && inPostgres.found.length === 0 && found.length === 0,
    result: {
      identifiers: identifiers.length,
      came_back: hashed.length - sought.length,
      // Topics hold values sealed under keys that only the vault has.
      topics: { tokens: tokens.length, still_open: openTokens },
      postgres: inPostgres,
      clickhouse: inClickhouse,
    },
  }
}
