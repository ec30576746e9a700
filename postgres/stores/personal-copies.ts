import type pg from 'pg'

interface PersonalCopy {
  table: string
  /** The column that says whose copy it is. */
  customerColumn: string
}

/** Rows that keep something of a person beside the identity graph; an erasure deletes them. */
export const personalCopies: readonly PersonalCopy[] = [{ table: 'journey_summaries', customerColumn: 'customer_id' }]

/** Tables that name a customer and hold nothing personal: who was merged, who was erased. */
export const impersonalTables: readonly string[] = ['identifiers', 'identity_changes', 'erasures']

export async function erasePersonalCopies(
  tx: pg.PoolClient,
  profileId: string,
  customerIds: readonly string[],
): Promise<void> {
  for (const { table, customerColumn } of personalCopies) {
    // What was kept under the id of a browser, before anybody knew whose it was, is theirs as well.
    await tx.query(
      `DELETE FROM ${table} WHERE profile_id = $1 AND ${customerColumn} IN (
         SELECT unnest($2::uuid[])
         UNION ALL
         SELECT v.visitor_id FROM identifiers i JOIN visitor_assignments v ON v.profile_id = $1 AND v.token = i.token
         WHERE i.profile_id = $1 AND i.customer_id = ANY($2::uuid[]))`,
      [profileId, customerIds],
    )
  }
}
