import type pg from 'pg'
import { strongest } from '../../domain/subject.ts'
import { toldPayment } from '../../postgres/stores/hook-states.ts'
import type { Vault } from '../../postgres/stores/vault.ts'
import type { Payment } from '../../schemas/messages.ts'

/** Whose a payment is and who it was for, as tokens alone. */
export type Parties = Pick<Payment, 'identifiers' | 'traits' | 'subject_ref_token'>

/**
 * Whose a payment was when it was last told of, if they have been erased since. Providers tell of a payment again whenever
 * something happens to it, with the person in full: that must bring nobody back, nor take the payment from whose it was.
 */
export const toldOfErased =
  ({ postgres, vault }: { postgres: pg.Pool; vault: Vault }, profileId: string) =>
  async (paymentId: string): Promise<Parties | undefined> => {
    const told = await toldPayment(postgres, profileId, paymentId)
    const payer = told && strongest(told.identifiers)
    if (!payer || (await vault.keys([{ profileId, token: payer.token }])).has(payer.token)) return undefined
    const { identifiers, traits, subject_ref_token } = told
    return { identifiers, traits, subject_ref_token }
  }
