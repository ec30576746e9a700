import { z } from 'zod'
import { platformAliases } from '../../domain/ad-platforms.ts'
import { oldestRateDays } from '../../domain/fx.ts'
import { atRate, isRated } from '../rates.ts'
import { sqlList } from '../sql-list.ts'
import { reportParams } from './credited.ts'

/** Reports that are asked for by a caller know the profile's reporting currency. */
export const deliveryParams = reportParams.extend({ currency: z.string() })

export const boundCurrency = '{currency:String}'
const ofTheProfile = '(SELECT any(reporting_currency) FROM profiles FINAL WHERE profile_id = {profile:UUID})'

const told = '{profile:UUID} AND date BETWEEN {from:Date} AND {to:Date}'

const own = (column: string) => `toNullable(${column})`
/** Nothing is nothing at any rate, also at one that nobody knows. Of delivery `d` at the rate `x`. */
export const rated = (column: string) => `multiIf(d.${column} = 0, toInt64(0), ${isRated('d.date', 'x')},
        ${atRate(`d.${column}`, 'x')}, NULL)`
/** A claim that could not be converted: its amount is missing in sums. */
const unratedClaim = (claim: string) => `isNotNull(${claim}) AND isNull(platform_value_minor) AS is_claim_unrated`

const figures = [
  ...['date', 'platform', 'campaign_id', 'ad_set_id', 'ad_id', 'impressions', 'clicks', 'reach'],
  ...['messaging_conversations_started_7d', 'platform_conversions', 'first_reply_rate', 'avg_engagement_score'],
]

/** Whether all money in range was delivered in the reporting currency, or some in others. */
export type Currencies = 'one' | 'several'

interface Delivery {
  currencies?: Currencies
  /** The reporting currency, as SQL. */
  currency?: string
  where?: string
}

/**
 * Common table expressions that end in `delivery`: what was delivered in range, one row an ad and day, with money in the
 * reporting currency. An amount takes the rate of its day, or the newest of the seven days before; without one it is
 * null and stays out of sums. Most profiles advertise in one currency: the join with rates, which costs more than all the
 * rest, is only there for those that do not (`delivery-currencies.ts` finds out), and a side without rows is not read at
 * all.
 */
export const deliveryInRange = ({ where = '1', currency = ofTheProfile, currencies = 'several' }: Delivery = {}) =>
  currencies === 'one' ? inOneCurrency(where, currency) : inSeveralCurrencies(where, currency)

const inOneCurrency = (where: string, currency: string) => `
  delivery AS (
    SELECT ${figures.join(', ')}, if(currency = ${currency}, spend_minor, NULL) AS spend_minor,
      if(currency = ${currency}, platform_conversion_value_minor, NULL) AS platform_value_minor,
      ${unratedClaim('platform_conversion_value_minor')}
    FROM ad_delivery FINAL
    WHERE profile_id = ${told} AND ${where}
  )`

const inSeveralCurrencies = (where: string, currency: string) => `
  (SELECT groupUniqArray(currency) FROM ad_delivery WHERE profile_id = ${told}) AS currencies,
  rates AS (
    SELECT base, quote, date, minor_rate FROM fx_rates FINAL
    WHERE quote = ${currency} AND date BETWEEN {from:Date} - ${oldestRateDays} AND {to:Date}
  ),
  delivery AS (
    SELECT ${figures.join(', ')}, ${own('spend_minor')} AS spend_minor, ${own('platform_conversion_value_minor')} AS platform_value_minor,
      toUInt8(0) AS is_claim_unrated
    FROM ad_delivery FINAL
    WHERE profile_id = ${told} AND has(currencies, ${currency}) AND currency = ${currency} AND ${where}
    UNION ALL
    SELECT ${figures.map((column) => `d.${column} AS ${column}`).join(', ')},
      ${rated('spend_minor')} AS spend_minor,
      ${rated('platform_conversion_value_minor')} AS platform_value_minor,
      ${unratedClaim('d.platform_conversion_value_minor')}
    FROM (
      SELECT *, ${currency} AS quote FROM ad_delivery FINAL
      WHERE profile_id = ${told} AND arrayExists(one -> one != ${currency}, currencies)
        AND currency != ${currency} AND ${where}
    ) AS d
    ASOF LEFT JOIN rates AS x ON x.base = d.currency AND x.quote = d.quote AND d.date >= x.date
  )`

/** The name reports show for the platform in a column. */
export const platformOf = (column: string) =>
  `transform(toString(${column}), [${sqlList(platformAliases.aliases)}], [${sqlList(platformAliases.names)}], toString(${column}))`
