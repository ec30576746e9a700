import type pg from 'pg'
import type { SealedPerson } from '../../domain/sealed-person.ts'
import { strongest } from '../../domain/subject.ts'
import { toldBefore } from '../../postgres/stores/hook-states.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { Topic } from '../../schemas/topics.ts'

/** What was last told of a payment or an outcome, if whose it was has been erased since. */
export type ToldOfErased = <Value extends SealedPerson>(topic: Topic<Value>, id: string) => Promise<Value | undefined>

/**
 * Providers tell of a payment or a deal again whenever something happens to it, with the person in full: that must bring
 * nobody back, nor take it from whose it was.
 */
export const toldOfErased =
  ({ postgres, vault }: { postgres: pg.Pool; vault: Vault }, profileId: string): ToldOfErased =>
  async (topic, id) => {
    const told = await toldBefore(postgres, topic, profileId, id)
    const whose = told && strongest(told.identifiers)
    if (!whose || (await vault.keys([{ profileId, token: whose.token }])).has(whose.token)) return undefined
    return told
  }
