import type pg from 'pg'

interface PersonalCopy {
  table: string
  /** The column that says whose copy it is. */
  customerColumn: string
}

/** Rows that keep something of a person beside the identity graph; an erasure deletes them. */
export const personalCopies: readonly PersonalCopy[] = []

/** Tables that name a customer and hold nothing personal: who was merged, who was erased. */
export const impersonalTables: readonly string[] = ['identifiers', 'identity_changes', 'erasures']

export async function erasePersonalCopies(
  tx: pg.PoolClient,
  profileId: string,
  customerIds: readonly string[],
): Promise<void> {
  for (const { table, customerColumn } of personalCopies) {
    await tx.query(`DELETE FROM ${table} WHERE profile_id = $1 AND ${customerColumn} = ANY($2::uuid[])`, [
      profileId,
      customerIds,
    ])
  }
}
