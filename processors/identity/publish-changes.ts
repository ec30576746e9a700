import type { Warehouse } from '../../clickhouse/client.ts'
import type { Producer } from '../../infra/kafka/producer.ts'
import type { IdentityStore } from '../../postgres/stores/identity.ts'
import { markDirty } from '../facts/mark-dirty.ts'

/**
 * Carries changes of the identity map from Postgres, which owns it, to the warehouse, then marks the customers dirty.
 * A change is forgotten only after both; a crash in between tells it again with the same version.
 */
export const publishIdentityChanges =
  ({ identity, warehouse, producer }: { identity: IdentityStore; warehouse: Warehouse; producer: Producer }) =>
  (): Promise<number> =>
    identity.publishChanges(async (changes) => {
      const rows = changes.map((change) => ({
        profile_id: change.profileId,
        subject_id: change.subjectId,
        customer_id: change.customerId,
        version: change.version,
      }))
      await warehouse.insert(
        'customer_subjects',
        rows.map(({ version, ...row }) => row),
      )
      await warehouse.insert('identity_map', rows)
      await markDirty(producer, rows)
    })
