import { z } from 'zod'
import type { Warehouse } from '../client.ts'
import { query } from '../query.ts'
import { type Currencies, deliveryParams } from './delivery.ts'

const otherCurrencies = query({
  name: 'other_currencies',
  params: deliveryParams,
  row: z.object({ currency: z.string() }),
  sql: `
SELECT currency FROM ad_delivery
WHERE profile_id = {profile:UUID} AND date BETWEEN {from:Date} AND {to:Date} AND currency != {currency:String}
LIMIT 1`,
})

/**
 * Reads delivery in the form that its currencies need. The simple form, which is right for most profiles, runs beside the
 * question whether it is.
 */
export async function inCurrencies<Answer>(
  warehouse: Warehouse,
  range: z.input<typeof deliveryParams>,
  read: (currencies: Currencies) => Promise<Answer>,
): Promise<Answer> {
  const simple = read('one')
  simple.catch(() => {})
  const others = await warehouse.run(otherCurrencies, range)
  return others.length === 0 ? simple : read('several')
}
