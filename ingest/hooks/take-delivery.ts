import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { HookSeals } from '../../domain/hooks/secrets.ts'
import { seal, sealingContext } from '../../domain/sealing.ts'
import { transaction } from '../../postgres/client.ts'
import { recordDelivery, settleDelivery, type Verdict } from '../../postgres/stores/hook-deliveries.ts'
import type { HookEndpoint } from '../../postgres/stores/hook-endpoints.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { OnRefused } from '../person.ts'
import { type Fact, factsOf, readNotification } from './facts.ts'
import { type Named, namedIn } from './named-in.ts'
import type { Received } from './notification.ts'
import { tell } from './tell.ts'
import { toldOfErased } from './told-of-erased.ts'

export interface HookDeps {
  postgres: pg.Pool
  vault: Vault
  hookSeals: HookSeals
  onRefused?: OnRefused
}

export type Taken = { status: Verdict['status'] | 'duplicate'; deliveryId: string | null }

/** A genuine notification: kept as it came, and told to the pipeline, in one transaction before it is answered. */
export async function takeDelivery(deps: HookDeps, endpoint: HookEndpoint, received: Received): Promise<Taken> {
  const { read, facts, named } = await understand(deps, endpoint, received)
  const id = randomUUID()
  const { profileId } = endpoint
  const delivery = {
    id,
    profileId,
    endpointId: endpoint.id,
    key: createHash('sha256')
      .update(read.key ?? received.body)
      .digest(),
    topic: read.topic,
    toldAt: new Date(received.receivedAt),
    tokens: named.tokens,
    ...sealPayload(deps.hookSeals, { id, profileId }, named, received.body),
  }
  return transaction(deps.postgres, async (tx): Promise<Taken> => {
    const first = firstVerdict(facts, read.ignored)
    if (!(await recordDelivery(tx, delivery, first))) return { status: 'duplicate', deliveryId: null }
    if ('failed' in facts || facts.length === 0) return { status: first.status, deliveryId: id }
    const verdict = await tell(tx, delivery, facts, received.receivedAt)
    await settleDelivery(tx, id, verdict)
    return { status: verdict.status, deliveryId: id }
  })
}

/** What it says and whom it names. */
export async function understand(deps: HookDeps, endpoint: HookEndpoint, received: Received) {
  const { profileId } = endpoint
  const { receivedAt } = received
  const read = readNotification(endpoint, received)
  const { vault, onRefused } = deps
  const facts = await factsOf(read, {
    profileId,
    receivedAt,
    vault,
    ...(onRefused && { onRefused }),
    toldOfErased: toldOfErased(deps, profileId),
  })
  return { read, facts, named: await namedIn(vault, profileId, facts, received) }
}

export const firstVerdict = (facts: Fact[] | { failed: string }, ignored: string | undefined): Verdict =>
  'failed' in facts
    ? { status: 'unmappable', reason: facts.failed, messages: 0 }
    : { status: 'ignored', reason: ignored ?? null, messages: 0 }

export function sealPayload(
  seals: HookSeals,
  { id, profileId }: { id: string; profileId: string },
  { key, isErased }: Named,
  body: Buffer,
): { sealed: Buffer | null; sealedUnder: string | null } {
  if (isErased) return { sealed: null, sealedUnder: null }
  if (!key) return { sealed: seals.sealPayload(id, body), sealedUnder: null }
  return { sealed: seal(key.key, sealingContext(profileId, key.token, 'payload'), body), sealedUnder: key.token }
}
