import { z } from 'zod'
import { connectClickhouse } from '../../clickhouse/client.ts'
import { query } from '../../clickhouse/query.ts'
import type { Demo } from './remembered.ts'

const ownerOfSubject = query({
  name: 'owner_of_subject',
  params: z.object({ profile: z.uuid(), subject: z.uuid() }),
  row: z.object({ customer_id: z.uuid() }),
  sql: `SELECT customer_id FROM identity_map FINAL WHERE profile_id = {profile:UUID} AND subject_id = {subject:UUID}`,
})

/** Whose a visitor is, the way an analyst would look it up; an anonymous one is a customer of its own. */
export async function customerOf(
  clickhouseUrl: string,
  { profileId, database }: Demo,
  subject: string,
): Promise<string> {
  const warehouse = connectClickhouse({ url: clickhouseUrl, database: () => database })
  try {
    const [owner] = await warehouse.run(ownerOfSubject, { profile: profileId, subject })
    return owner?.customer_id ?? subject
  } finally {
    await warehouse.close()
  }
}
