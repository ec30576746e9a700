import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { CustomerSelector } from '../../../../domain/customer-selectors.ts'
import { erasureSecrets } from '../../../../domain/erasures.ts'
import { evidenceOrder } from '../../../../domain/identity-graph.ts'
import { vaultKeys } from '../../../../domain/sealing.ts'
import { loadConfig } from '../../../../infra/config.ts'
import { transaction } from '../../../../postgres/client.ts'
import { eraseCustomer } from '../../../../postgres/stores/erasures.ts'
import { identityStore } from '../../../../postgres/stores/identity.ts'
import { postgresVault, type Vault } from '../../../../postgres/stores/vault.ts'
import { type IdentifierType, identifierTypes } from '../../../../schemas/messages.ts'
import type { openProfile } from '../../../processors/attribution/world.ts'

type World = Awaited<ReturnType<typeof openProfile>>

export type Known = Partial<Record<IdentifierType, string>> & {
  firstName?: string
  lastName?: string
  /** The browser it happened in. */
  visitor?: string
  at?: number
}

const { secret } = loadConfig({ ...process.env, BASE_URL: '' })

export const testVault = (pool: pg.Pool): Vault => postgresVault(pool, vaultKeys(secret), { timeoutMs: 20_000 })

/** Tells a profile of people as the processors do, and gives the warehouse its copy of who is whom. */
export function peopleOf(pool: pg.Pool, world: World) {
  const vault = testVault(pool)
  const identity = identityStore(pool)
  return {
    vault,
    erase: (selector: CustomerSelector) =>
      transaction(pool, (tx) =>
        eraseCustomer(tx, erasureSecrets(secret), world.profile, {
          requestRef: randomUUID(),
          selector,
          reason: 'other',
          requestedBy: 'test',
        }),
      ),
    async meet(known: Known) {
      const values = identifierTypes.flatMap((type) => {
        const value = known[type]
        return value === undefined ? [] : { type, value }
      })
      const entries = await vault.tokens(world.profile, values)
      await identity.observe([
        {
          profileId: world.profile,
          evidence: evidenceOrder(known.at ?? Date.UTC(2026, 8, 1), randomUUID()),
          isTrusted: true,
          visitorId: known.visitor ?? null,
          identifiers: entries.map(({ type, token, value }) => ({ type, token, value })),
          firstName: known.firstName ?? null,
          lastName: known.lastName ?? null,
        },
      ])
      const { rows } = await pool.query<{ subject: string; customer: string }>(
        `SELECT token AS subject, customer_id AS customer FROM identifiers WHERE profile_id = $1
         UNION ALL
         SELECT v.visitor_id, i.customer_id FROM visitor_assignments v
         JOIN identifiers i ON i.profile_id = $1 AND i.token = v.token WHERE v.profile_id = $1`,
        [world.profile],
      )
      for (const { subject, customer } of rows) await world.belongs(subject, customer)
      const subject = entries[0]!.token
      return { customer: rows.find((row) => row.subject === subject)!.customer, subject }
    },
  }
}
