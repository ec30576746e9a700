import { z } from 'zod'
import type { conversionCredit } from '../../../clickhouse/queries/conversion-credit.ts'
import type { conversionPage } from '../../../clickhouse/queries/conversion-page.ts'
import { noId } from '../../../domain/ids.ts'
import { wholeWeight } from '../../../domain/models.ts'
import { fromMinorAsNumber } from '../../../domain/money.ts'
import { revenueTypes } from '../../../schemas/messages.ts'
import { creditValue } from './figures.ts'

const EarningTouch = z
  .object({
    touch_id: z.uuid(),
    touch_time: z.iso.datetime(),
    position: z.int().meta({ description: 'Its place in the path, from 1.' }),
    in_window: z.boolean().meta({ description: 'Inside the conversion’s window; only such touches earn credit.' }),
    credit: z.number().meta({ description: 'Its share of the conversion under the model, 0 to 1.' }),
    channel: z.string(),
    source: z.string().nullable(),
    is_direct: z.boolean(),
    is_synthetic: z.boolean().meta({ description: 'Made for a conversion outside the site that names its ad.' }),
    join_method: z
      .string()
      .nullable()
      .meta({
        description: 'How the click came to its entity; null when it names none that is known.',
        examples: ['service_ad_id', 'utm_campaign_id', 'campaign_name'],
      }),
    campaign_id: z.uuid().nullable(),
    campaign_name: z.string().nullable(),
    ad_set_id: z.uuid().nullable(),
    ad_set_name: z.string().nullable(),
    ad_id: z.uuid().nullable(),
    ad_name: z.string().nullable(),
  })
  .meta({ id: 'EarningTouch' })

export const ConversionRow = z
  .object({
    conversion_id: z.uuid(),
    outcome_event_id: z
      .uuid()
      .nullable()
      .meta({ description: 'Id of the outcome behind it, as it was answered at ingest.' }),
    conversion_type: z.string().meta({ examples: ['payment_received'] }),
    revenue_type: z.string().meta({ examples: [...revenueTypes] }),
    occurred_at: z.iso.datetime(),
    date: z.iso.date().meta({ description: 'Its day in the profile’s time zone.' }),
    value: z
      .number()
      .nullable()
      .meta({ description: 'Value less refunds in the reporting currency; null without value or exchange rate.' }),
    currency: z.string().meta({ description: 'The reporting currency.', examples: ['USD'] }),
    credit: z
      .number()
      .meta({ description: 'The share that the model gives to the entity asked for, or to all touches; 0 to 1.' }),
    credited_value: z.number().nullable().meta({ description: 'value times credit.' }),
    is_first_payment: z.boolean().nullable().meta({ description: 'Null when the conversion is not a payment.' }),
    path_length: z.int().meta({ description: 'Touches in the window, direct ones included.' }),
    touch_count: z.int().meta({ description: 'Touches in the window, direct ones excluded.' }),
    touches: z.array(EarningTouch).meta({ description: 'The touches that earned the credit, in order of time.' }),
    customer_profile_id: z
      .uuid()
      .optional()
      .meta({ description: 'Whose it is; an anonymous visitor’s own id. Only with `customers:read`.' }),
    customer_name: z.string().nullable().optional().meta({ description: 'Only with `customers:read`.' }),
  })
  .meta({ id: 'CampaignConversionRow' })

type Row<Of extends (...parts: never[]) => { row: z.ZodType }> = z.infer<ReturnType<Of>['row']>
export type ReadConversion = Row<typeof conversionPage> & Row<typeof conversionCredit>

export function toConversionRow(
  row: ReadConversion,
  currency: string,
  names: ReadonlyMap<string, string>,
): z.input<typeof ConversionRow> {
  const weight = row.touches.reduce((sum, touch) => sum + touch.weight, 0)
  const named = (id: string) => (id === noId ? { id: null, name: null } : { id, name: names.get(id) ?? null })
  return {
    conversion_id: row.conversion_id,
    outcome_event_id: row.outcome_id,
    conversion_type: row.conversion_type,
    revenue_type: row.revenue_type,
    occurred_at: new Date(row.occurred_ms).toISOString(),
    date: row.day,
    value: row.net_minor === null ? null : fromMinorAsNumber(row.net_minor, currency),
    currency,
    credit: weight / wholeWeight,
    credited_value: row.net_minor === null ? null : creditValue(row.net_minor * BigInt(weight), currency),
    is_first_payment: row.is_first_payment,
    path_length: row.path_length,
    touch_count: row.touch_count,
    touches: row.touches.map(({ weight, source, join_method, campaign_id, ad_set_id, ad_id, ...touch }) => {
      const [campaign, adSet, ad] = [named(campaign_id), named(ad_set_id), named(ad_id)]
      return {
        ...touch,
        in_window: true,
        credit: weight / wholeWeight,
        source: source || null,
        join_method: join_method || null,
        campaign_id: campaign.id,
        campaign_name: campaign.name,
        ad_set_id: adSet.id,
        ad_set_name: adSet.name,
        ad_id: ad.id,
        ad_name: ad.name,
      }
    }),
  }
}
