import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { CustomerSelector } from '../../domain/customer-selectors.ts'
import { type ErasureReason, type ErasureSecrets, namesCustomer } from '../../domain/erasures.ts'
import type { IdentifierType } from '../../schemas/messages.ts'
import type { Sql } from '../client.ts'
import { eraseHookPayloads } from './hook-deliveries.ts'
import { lockProfile } from './identity-lock.ts'
import { erasePersonalCopies } from './personal-copies.ts'

export interface Receipt {
  id: string
  requestRef: string
  customerKey: string | null
  reason: ErasureReason
  requestedAt: Date
  completedAt: Date | null
}

export interface ErasureRequest {
  requestRef: string
  selector: CustomerSelector
  reason: ErasureReason
  /** Kind and id of the credential. */
  requestedBy: string
}

export type ErasureOutcome =
  | { kind: 'erased' | 'known'; receipt: Receipt }
  /** The ref was used with another selector: for somebody else, or for the same customer before it was erased. */
  | { kind: 'ref_taken' }
  /** The ref would keep what is to be erased. */
  | { kind: 'ref_names_customer' }
  | { kind: 'not_found' }

/** Said in the erasing transaction; whoever remembers tokens of the profile forgets them. */
export const erasedChannel = 'touchline_erased'

const receiptColumns = `id, request_ref AS "requestRef", customer_key AS "customerKey", reason,
  requested_at AS "requestedAt", completed_at AS "completedAt"`

export async function readErasure(sql: Sql, profileId: string, erasureId: string): Promise<Receipt | undefined> {
  const { rows } = await sql.query<Receipt>(
    `SELECT ${receiptColumns} FROM erasures WHERE profile_id = $1 AND id = $2`,
    [profileId, erasureId],
  )
  return rows[0]
}

/**
 * Erases a customer in the caller's transaction, one at a time in a profile. From its commit on nobody finds the
 * person, and what topics and backups hold of it cannot be opened; conversions, touches and credit know tokens alone and
 * stay as they are.
 */
export async function eraseCustomer(
  tx: pg.PoolClient,
  secrets: ErasureSecrets,
  profileId: string,
  request: ErasureRequest,
): Promise<ErasureOutcome> {
  await lockProfile(tx, profileId)
  const { selector, requestRef } = request
  const selectorHash = secrets.selectorHash(profileId, selector)
  const found = await findVaultRow(tx, profileId, selector.type, secrets.vaultHash(profileId, selector))
  const used = await findByRef(tx, profileId, requestRef)
  if (used) {
    const isSame = used.selectorHash.equals(selectorHash) || found?.erasureId === used.receipt.id
    return isSame ? { kind: 'known', receipt: used.receipt } : { kind: 'ref_taken' }
  }
  if (found?.erasureId) {
    const receipt = await readErasure(tx, profileId, found.erasureId)
    if (receipt) return { kind: 'known', receipt }
  }
  const person = found && (await loadPerson(tx, profileId, found.token))
  if (!person) return { kind: 'not_found' }
  const identifiers = person.identifiers.flatMap(({ type, value }) => (value === null ? [] : { type, value }))
  if (namesCustomer(requestRef, identifiers)) return { kind: 'ref_names_customer' }
  const erasureId = randomUUID()
  const receipt = await writeReceipt(tx, profileId, erasureId, request, selectorHash, person)
  await destroy(tx, profileId, erasureId, person)
  await tx.query(`INSERT INTO erasure_audits (erasure_id, profile_id, search) VALUES ($1, $2, $3)`, [
    erasureId,
    profileId,
    secrets.sealSearch(erasureId, {
      customerIds: person.customerIds,
      tokens: person.identifiers.map(({ token }) => token),
      identifiers,
    }),
  ])
  await tx.query('SELECT pg_notify($1, $2)', [erasedChannel, profileId])
  return { kind: 'erased', receipt }
}

interface Person {
  /** The customer itself first, then every id that was merged into it. */
  customerIds: string[]
  identifiers: { token: string; type: IdentifierType; value: string | null }[]
}

async function findVaultRow(tx: pg.PoolClient, profileId: string, type: IdentifierType, hash: Buffer) {
  const { rows } = await tx.query<{ token: string; erasureId: string | null }>(
    `SELECT token, erasure_id AS "erasureId" FROM vault WHERE profile_id = $1 AND type = $2 AND value_hmac = $3`,
    [profileId, type, hash],
  )
  return rows[0]
}

async function findByRef(tx: pg.PoolClient, profileId: string, requestRef: string) {
  const { rows } = await tx.query<Receipt & { selectorHash: Buffer }>(
    `SELECT ${receiptColumns}, selector_hash AS "selectorHash" FROM erasures
     WHERE profile_id = $1 AND request_ref = $2`,
    [profileId, requestRef],
  )
  const [row] = rows
  if (!row) return undefined
  const { selectorHash, ...receipt } = row
  return { receipt, selectorHash }
}

async function loadPerson(tx: pg.PoolClient, profileId: string, token: string): Promise<Person | undefined> {
  const { rows: identifiers } = await tx.query<Person['identifiers'][number] & { customerId: string }>(
    `SELECT token, type, value, customer_id AS "customerId" FROM identifiers
     WHERE profile_id = $1 AND customer_id = (
       SELECT customer_id FROM identifiers WHERE profile_id = $1 AND token = $2 AND erasure_id IS NULL)
     ORDER BY first_seen, token`,
    [profileId, token],
  )
  if (identifiers.length === 0) return undefined
  const { rows: merged } = await tx.query<{ id: string }>(
    `WITH RECURSIVE trail AS (
       SELECT id FROM customers WHERE profile_id = $1 AND id = $2
       UNION SELECT c.id FROM trail t JOIN customers c ON c.profile_id = $1 AND c.merged_into = t.id)
     SELECT id FROM trail`,
    [profileId, identifiers[0]!.customerId],
  )
  return { customerIds: merged.map(({ id }) => id), identifiers }
}

async function writeReceipt(
  tx: pg.PoolClient,
  profileId: string,
  erasureId: string,
  { requestRef, selector, reason, requestedBy }: ErasureRequest,
  selectorHash: Buffer,
  { customerIds, identifiers }: Person,
): Promise<Receipt> {
  const isKey = ({ type }: { type: IdentifierType }) => type === 'external_customer_id'
  const customerKey = isKey(selector) ? selector.value : (identifiers.find(isKey)?.value ?? null)
  const { rows } = await tx.query<Receipt>(
    `INSERT INTO erasures (id, profile_id, request_ref, selector_hash, customer_id, customer_key, reason, requested_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${receiptColumns}`,
    [erasureId, profileId, requestRef, selectorHash, customerIds[0], customerKey, reason, requestedBy],
  )
  return rows[0]!
}

async function destroy(
  tx: pg.PoolClient,
  profileId: string,
  erasureId: string,
  { customerIds, identifiers }: Person,
): Promise<void> {
  const tokens = identifiers.map(({ token }) => token)
  // A customer key leaves a tombstone where collectors look for it; its new token leads to nothing.
  await tx.query(
    `UPDATE vault SET token = gen_random_uuid(), data_key = NULL, erasure_id = $3
     WHERE profile_id = $1 AND token = ANY($2::uuid[]) AND type = 'external_customer_id'`,
    [profileId, tokens, erasureId],
  )
  await tx.query('DELETE FROM vault WHERE profile_id = $1 AND token = ANY($2::uuid[])', [profileId, tokens])
  await tx.query(
    `UPDATE identifiers SET erasure_id = $3, value = NULL, first_name = NULL, first_name_order = NULL,
       last_name = NULL, last_name_order = NULL
     WHERE profile_id = $1 AND token = ANY($2::uuid[])`,
    [profileId, tokens, erasureId],
  )
  await tx.query(
    `UPDATE customers SET erasure_id = $3, first_name = NULL, last_name = NULL
     WHERE profile_id = $1 AND id = ANY($2::uuid[])`,
    [profileId, customerIds, erasureId],
  )
  await erasePersonalCopies(tx, profileId, customerIds)
  await eraseHookPayloads(tx, profileId, tokens)
}
