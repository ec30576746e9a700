import { transaction } from '../../postgres/client.ts'
import {
  type DeliveryStatus,
  type KeptDelivery,
  lockUnmappable,
  rekeepDelivery,
  settleDelivery,
  unmappableAfter,
} from '../../postgres/stores/hook-deliveries.ts'
import { hookEndpointOf } from '../../postgres/stores/hook-endpoints.ts'
import { faultOf, readNotification } from './facts.ts'
import type { Received } from './notification.ts'
import { openPayload } from './open-payload.ts'
import { parseBody } from './parse-body.ts'
import { firstVerdict, type HookDeps, sealPayload, understand } from './take-delivery.ts'
import { tell } from './tell.ts'

export interface ReplayOptions {
  /** Undefined for all profiles. */
  profileId: string | undefined
  /** Says what could be read now and changes nothing. */
  isDryRun: boolean
  onProgress?: (done: number) => void
}

export type ReplayCounts = Record<DeliveryStatus | 'gone', number>

const pageSize = 200

/**
 * Maps again what was not understood, oldest first, as if it came now with the time it was told at. Each delivery is a
 * transaction of its own: an interrupted run is taken up by the next.
 */
export async function replayDeliveries(deps: HookDeps, options: ReplayOptions): Promise<ReplayCounts> {
  const counts: ReplayCounts = { mapped: 0, superseded: 0, ignored: 0, unmappable: 0, gone: 0 }
  let done = 0
  let after: { at: string; id: string } | undefined
  for (;;) {
    const page = await unmappableAfter(deps.postgres, { profileId: options.profileId, after, limit: pageSize })
    for (const kept of page) {
      counts[await again(deps, kept, options.isDryRun)]++
      options.onProgress?.(++done)
    }
    after = page.at(-1)
    if (!after) return counts
  }
}

async function again(deps: HookDeps, kept: KeptDelivery, isDryRun: boolean): Promise<keyof ReplayCounts> {
  const { id, profileId } = kept
  const body = await openPayload(deps.vault, deps.hookSeals, kept)
  const endpoint = await hookEndpointOf(deps.postgres, kept.endpointId)
  if (!body || !endpoint) return 'gone'
  const received: Received = {
    // What it was known by is kept as a hash, and when it was sent is within minutes of when it came.
    header: (name) => (name === 'x-shopify-topic' ? kept.topic : undefined),
    body,
    json: parseBody(body),
    source: endpoint.source,
    receivedAt: kept.toldAt.getTime(),
  }
  if (isDryRun) {
    const read = readNotification(endpoint, received)
    if (faultOf(read, received.receivedAt) !== undefined) return 'unmappable'
    return read.told.length > 0 ? 'mapped' : 'ignored'
  }
  const { read, facts, named } = await understand(deps, endpoint, received)
  return transaction(deps.postgres, async (tx) => {
    if (!(await lockUnmappable(tx, id))) return 'gone'
    const sealed = sealPayload(deps.hookSeals, kept, named, body)
    await rekeepDelivery(tx, { id, profileId, topic: read.topic, tokens: named.tokens, ...sealed })
    const verdict =
      'failed' in facts || facts.length === 0
        ? firstVerdict(facts, read.ignored)
        : await tell(tx, kept, facts, Date.now())
    await settleDelivery(tx, id, verdict)
    return verdict.status
  })
}
