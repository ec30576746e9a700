import { hash } from 'node:crypto'
import type { ClickIdName } from './click.ts'
import { isSameSite, type KnownSource, sourceOfHost, sourceOfTag } from './traffic-sources.ts'

/** The vocabulary of channels, and what each means. */
export const channels = {
  paid_search: 'A paid click on a search engine',
  paid_social: 'A paid click on a social network',
  display: 'A banner or another programmatic placement',
  affiliate: 'A partner that is paid by result',
  paid_other: 'A paid click on anything else',
  organic_search: 'An unpaid result of a search engine',
  organic_social: 'An unpaid post on a social network',
  messaging: 'A conversation or a link in a messenger',
  email: 'A letter or a webmail',
  sms: 'A text message',
  push: 'A push notification',
  ai_assistant: 'An answer of an AI assistant',
  referral: 'A link on another site',
  other: 'Tagged, but by no rule of this table',
  direct: 'No click id, no tag, no foreign referrer',
} as const
export type Channel = keyof typeof channels

export interface Arrival {
  utm: Record<string, string>
  clickIds: Record<string, string>
  referrer: string | null
  url: string | null
  ownHosts?: readonly string[]
  campaignRef?: string | null
  adSetRef?: string | null
  adRef?: string | null
}

export interface Classified {
  channel: Channel
  source: string | null
  medium: string | null
  isDirect: boolean
  /** The identity of the campaign; a session ends where a new one begins. Empty for direct. */
  signature: string
}

type Verdict = Pick<Classified, 'channel' | 'source' | 'medium'>

/** Click ids that only ads carry. The first present decides; a bare fbclid is on every outbound link, so it is not here. */
export const paidClickIds: [ClickIdName, Verdict][] = [
  ['ctwa_clid', { channel: 'messaging', source: 'facebook', medium: 'ctwa' }],
  ['gclid', { channel: 'paid_search', source: 'google', medium: 'cpc' }],
  ['wbraid', { channel: 'paid_search', source: 'google', medium: 'cpc' }],
  ['gbraid', { channel: 'paid_search', source: 'google', medium: 'cpc' }],
  ['msclkid', { channel: 'paid_search', source: 'bing', medium: 'cpc' }],
  ['ttclid', { channel: 'paid_social', source: 'tiktok', medium: 'cpc' }],
  ['li_fat_id', { channel: 'paid_social', source: 'linkedin', medium: 'cpc' }],
  ['twclid', { channel: 'paid_social', source: 'x', medium: 'cpc' }],
  ['gad_source', { channel: 'paid_search', source: 'google', medium: 'cpc' }],
]

/** `paid` and `organic` leave the kind of place to the source. */
type MediumRule = Channel | 'paid' | 'organic'

/** utm_medium, lower-cased with `-` and blanks as `_`; the first matching row counts. */
export const mediumRules: [RegExp, MediumRule][] = [
  [/^(paid_?search|sem|search_?ads?)$/, 'paid_search'],
  [/^(paid_?social|social_?paid|social_?ads?)$/, 'paid_social'],
  [/^(display|banner|expandable|interstitial|programmatic|native|gdn)$/, 'display'],
  [/^affiliates?$/, 'affiliate'],
  [/^(cpc|ppc|cpm|cpv|cpa|cpl|cpe|retargeting|remarketing|ads?|paid.*)$/, 'paid'],
  [/^(e?_?mail|newsletter|mailing)$/, 'email'],
  [/^(sms|mms|text(_message)?)$/, 'sms'],
  [/^((web|mobile|app)?_?push(_notification)?|notification)$/, 'push'],
  [/^(whatsapp|messenger|messaging|dm|chat|telegram|ctwa)$/, 'messaging'],
  [/^(social|social_?network|social_?media|sm|organic_?social|social_?organic)$/, 'organic_social'],
  [/^(organic|organic_?search)$/, 'organic'],
  [/^(ai|llm|ai_?assistant|chatbot)$/, 'ai_assistant'],
  [/^(referral|link|partner)$/, 'referral'],
]

const paidBySource: Partial<Record<KnownSource['kind'], Channel>> = { search: 'paid_search', social: 'paid_social' }
const organicBySource: Record<KnownSource['kind'], Channel | undefined> = {
  search: 'organic_search',
  social: 'organic_social',
  messaging: 'messaging',
  mail: 'email',
  ai: 'ai_assistant',
  not_a_source: undefined,
}
/** What a tag may make of a paid click; wider than `paidChannels` of ad-platforms.ts, which says what reports count as one. */
const channelsOfPaidTags = new Set<Channel>([
  'paid_search',
  'paid_social',
  'display',
  'affiliate',
  'paid_other',
  'messaging',
])
const emptyTag = /^\(?(none|not set|direct|null|undefined)?\)?$/

/** Where a visit came from: click ids, then tags, then the referrer. */
export function classify(arrival: Arrival): Classified {
  const verdict = byPaidClickId(arrival) ?? byTags(arrival) ?? byBareFbclid(arrival) ?? byReferrer(arrival)
  if (!verdict) return { channel: 'direct', source: null, medium: null, isDirect: true, signature: '' }
  return { ...verdict, isDirect: false, signature: signatureOf(arrival, verdict) }
}

function byPaidClickId(arrival: Arrival): Verdict | undefined {
  const rule = paidClickIds.find(([name]) => arrival.clickIds[name])?.[1]
  if (!rule) return undefined
  // The click id proves that it was an ad of that platform; a paid tag may say more exactly which kind.
  const tagged = byTags(arrival)
  if (!tagged || !channelsOfPaidTags.has(tagged.channel) || tagged.channel === 'paid_other') {
    return { ...rule, source: tagged?.source ?? rule.source }
  }
  return { channel: tagged.channel, source: tagged.source ?? rule.source, medium: tagged.medium ?? rule.medium }
}

function byTags(arrival: Arrival): Verdict | undefined {
  const tag = tagText(arrival.utm.source)
  const medium = tagText(arrival.utm.medium)
  const isAd = Boolean(arrival.campaignRef || arrival.adSetRef || arrival.adRef)
  if (!tag && !medium && !arrival.utm.campaign && !arrival.utm.id && !isAd) return undefined
  const known = tag ? sourceOfTag(tag) : undefined
  const source = known && known.kind !== 'not_a_source' ? known.name : (tag ?? null)
  return { channel: channelOfTags(known, medium, isAd), source, medium: medium ?? (isAd ? 'cpc' : null) }
}

function channelOfTags(known: KnownSource | undefined, medium: string | undefined, isAd: boolean): Channel {
  const rule = medium && mediumRules.find(([shape]) => shape.test(medium.replace(/[\s-]+/g, '_')))?.[1]
  const paid = (known && paidBySource[known.kind]) ?? 'paid_other'
  if (rule === 'paid') return paid
  if (rule === 'organic') return (known && organicBySource[known.kind]) ?? 'organic_search'
  if (rule === 'referral') return known?.kind === 'ai' ? 'ai_assistant' : 'referral'
  if (rule) return rule
  if (isAd) return paid
  return (known && organicBySource[known.kind]) ?? 'other'
}

function tagText(value: string | undefined): string | undefined {
  const text = value?.trim().toLowerCase()
  return text && !emptyTag.test(text) ? text : undefined
}

function byBareFbclid(arrival: Arrival): Verdict | undefined {
  if (!arrival.clickIds.fbclid) return undefined
  const referred = byReferrer(arrival)
  if (referred?.channel === 'organic_social' || referred?.channel === 'messaging') return referred
  return { channel: 'organic_social', source: 'facebook', medium: 'social' }
}

const mediumOfChannel: Partial<Record<Channel, string>> = {
  organic_search: 'organic',
  organic_social: 'social',
  email: 'email',
  messaging: 'messaging',
  ai_assistant: 'ai',
}

function byReferrer(arrival: Arrival): Verdict | undefined {
  const host = hostOf(arrival.referrer)
  if (!host) return undefined
  const own = hostOf(arrival.url)
  if ((own && isSameSite(host, own)) || arrival.ownHosts?.some((mine) => isSameSite(host, mine))) return undefined
  const known = sourceOfHost(host)
  if (known?.kind === 'not_a_source') return undefined
  const channel = (known && organicBySource[known.kind]) ?? 'referral'
  return { channel, source: known?.name ?? host.replace(/^www\./, ''), medium: mediumOfChannel[channel] ?? 'referral' }
}

const hostOf = (url: string | null): string | undefined =>
  (url ? URL.parse(url)?.hostname.toLowerCase() : undefined) || undefined

function signatureOf(arrival: Arrival, verdict: Verdict): string {
  const { campaign, id, content, term } = arrival.utm
  const named = [arrival.campaignRef, arrival.adSetRef, arrival.adRef, campaign, id, content, term]
  // Without a name the click itself is all that tells one campaign from the next.
  const click = named.some(Boolean) ? undefined : paidClickIds.map(([name]) => arrival.clickIds[name]).find(Boolean)
  const parts = [verdict.channel, verdict.source, verdict.medium, ...named, click]
  return hash('sha1', JSON.stringify(parts.map((part) => part ?? '')), 'hex').slice(0, 16)
}
