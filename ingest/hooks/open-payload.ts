import type { HookSeals } from '../../domain/hooks/secrets.ts'
import { open, sealingContext } from '../../domain/sealing.ts'
import type { SealedDelivery } from '../../postgres/stores/hook-deliveries.ts'
import type { Vault } from '../../postgres/stores/vault.ts'

/** The body as it came; undefined once it went with a person it named. */
export async function openPayload(
  vault: Vault,
  seals: HookSeals,
  { id, profileId, sealed, sealedUnder }: SealedDelivery,
): Promise<Buffer | undefined> {
  if (!sealed) return undefined
  if (!sealedUnder) return seals.openPayload(id, sealed)
  const key = (await vault.keys([{ profileId, token: sealedUnder }])).get(sealedUnder)
  return key && open(key, sealingContext(profileId, sealedUnder, 'payload'), sealed)
}
