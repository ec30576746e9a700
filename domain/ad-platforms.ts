/**
 * Ad platforms by the name reports show: other names that delivery comes under, the traffic sources its clicks carry,
 * and the one action type that stands for "conversions" there. A platform tells the same purchase several times
 * (purchase, pixel purchase, omni purchase); the first of `actionTypes` that it reported counts, they are never added.
 */
export interface AdPlatform {
  aliases: readonly string[]
  sources: readonly string[]
  actionTypes: readonly [string, ...string[]]
  meaning: string
}

export const adPlatforms = {
  meta: {
    aliases: ['facebook', 'instagram', 'facebook_ads', 'meta_ads', 'fb'],
    sources: ['facebook', 'instagram', 'messenger', 'threads', 'whatsapp'],
    actionTypes: ['omni_purchase', 'purchase', 'offsite_conversion.fb_pixel_purchase', 'onsite_web_purchase'],
    meaning: 'Purchases on the web, in apps and in shops, each once, in the ad account’s own attribution setting.',
  },
  google: {
    aliases: ['google_ads', 'adwords', 'googleads'],
    sources: ['google', 'youtube'],
    actionTypes: ['conversions'],
    meaning: 'Conversions of the actions that are marked as primary, fractions included where credit is shared.',
  },
  tiktok: {
    aliases: ['tiktok_ads'],
    sources: ['tiktok'],
    actionTypes: ['complete_payment', 'purchase'],
    meaning: 'Completed payments that the pixel or the events API reported.',
  },
  microsoft: {
    aliases: ['bing', 'bing_ads', 'microsoft_ads'],
    sources: ['bing'],
    actionTypes: ['conversions_qualified', 'conversions'],
    meaning: 'Qualified conversions of the account’s goals.',
  },
  linkedin: {
    aliases: ['linkedin_ads'],
    sources: ['linkedin'],
    actionTypes: ['externalwebsiteconversions'],
    meaning: 'Conversions on the site after a click or a view.',
  },
  x: {
    aliases: ['twitter', 'x_ads', 'twitter_ads'],
    sources: ['x'],
    actionTypes: ['conversion_purchases'],
    meaning: 'Purchases after a click or a view.',
  },
  pinterest: {
    aliases: ['pinterest_ads'],
    sources: ['pinterest'],
    actionTypes: ['total_checkout'],
    meaning: 'Checkouts after a click, a view or a save.',
  },
  reddit: {
    aliases: ['reddit_ads'],
    sources: ['reddit'],
    actionTypes: ['conversion_purchase_total'],
    meaning: 'Purchases after a click or a view.',
  },
  snapchat: {
    aliases: ['snapchat_ads', 'snap'],
    sources: ['snapchat'],
    actionTypes: ['conversion_purchases'],
    meaning: 'Purchases after a swipe or a view.',
  },
} as const satisfies Record<string, AdPlatform>

const table: Readonly<Record<string, AdPlatform>> = adPlatforms

const byAlias = new Map(Object.entries(table).flatMap(([name, { aliases }]) => aliases.map((alias) => [alias, name])))

/** The name reports show for a platform that delivery calls so; one that is not listed keeps its own. */
export const platformName = (delivered: string): string => byAlias.get(delivered) ?? delivered

/** Every name that delivery of a platform can come under. */
export const platformNames = (name: string): string[] => [name, ...(table[name]?.aliases ?? [])]

/** Alias → name, as two lists of the same length. */
export const platformAliases = { aliases: [...byAlias.keys()], names: [...byAlias.values()] }

const sources = Object.entries(table).flatMap(([name, platform]) => platform.sources.map((source) => [source, name]))

/** Traffic source of a paid click → platform, as two lists of the same length. */
export const paidSources = { sources: sources.map(([source]) => source!), platforms: sources.map(([, name]) => name!) }

/** Channels whose clicks are paid for. Messaging is paid when it comes from an ad network: a click-to-message ad. */
export const paidChannels = ['paid_search', 'paid_social', 'display', 'paid_other'] as const
export const clickToMessageSources = ['facebook', 'instagram'] as const

export interface ReportedBasis {
  actionType: string
  meaning: string
}

export function reportedBasis(platform: string): ReportedBasis {
  const known = table[platformName(platform)]
  if (!known) return { actionType: 'as_reported', meaning: 'The figure that was delivered as conversions.' }
  return { actionType: known.actionTypes[0], meaning: known.meaning }
}

export interface ReportedAction<Value> {
  actionType: string
  count: number
  value: Value | null
}

/** Of all that a platform reported for an ad and day, the one action that counts as its conversions. */
export function canonicalAction<Value>(
  platform: string,
  actions: readonly ReportedAction<Value>[],
): ReportedAction<Value> | undefined {
  const wanted: readonly string[] = table[platformName(platform)]?.actionTypes ?? []
  return wanted
    .map((type) => actions.find(({ actionType }) => actionType === type))
    .find((action) => action !== undefined)
}
