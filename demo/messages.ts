import type { Ad, Platform } from './ads.ts'
import type { AdTag, Arrival, CrmStep, Life, Sale, Told, Unpaid, Visit } from './life.ts'
import type { Device, Person } from './people.ts'

/** One request of the browser script; the sender adds the tracking key and the time of sending. */
export interface HitDelivery {
  device: Device
  country: string
  events: Hit[]
}

export interface Hit {
  event_id: string
  event_type: string
  event_name: string
  event_time: string
  url: string
  referrer?: string | undefined
  title?: string
  user_traits?: Record<string, string>
}

export interface EventDelivery {
  event_type: 'payment_received'
  idempotency_key: string
  occurred_at: string
  properties: { value: number; currency: 'USD' }
  user_traits: Record<string, string>
  action_source: 'website'
  visitor_id?: string
}

export interface CrmRow {
  provider: string
  external_id: string
  outcome_type: string
  occurred_at: string
  value?: number
  currency?: string
  contact: Record<string, string>
  ad_external_id?: string
}

export interface PaymentRow {
  provider: string
  external_id: string
  occurred_at: string
  amount: number
  currency: string
  refunded_amount: number
  customer: Record<string, string>
}

const site = 'https://www.harbour-bikes.example'
const paths = ['/', '/city-bikes', '/e-bikes', '/cargo', '/helmets', '/test-ride', '/delivery']
const referrers: Record<Platform | Unpaid, string | undefined> = {
  meta: 'https://l.facebook.com/',
  google: 'https://www.google.com/',
  tiktok: 'https://www.tiktok.com/',
  direct: undefined,
  email: undefined,
  organic_search: 'https://www.google.com/',
  organic_social: 'https://www.instagram.com/',
  referral: 'https://cycling-weekly.example/reviews',
  assistant: 'https://chatgpt.com/',
}
const sources: Record<Platform, { source: string; medium: string; clickId: string }> = {
  meta: { source: 'facebook', medium: 'paid_social', clickId: 'fbclid' },
  google: { source: 'google', medium: 'cpc', clickId: 'gclid' },
  tiktok: { source: 'tiktok', medium: 'paid_social', clickId: 'ttclid' },
}

const iso = (at: number) => new Date(at).toISOString()

export function hitsOf({ person }: Life, visit: Visit, number: number): HitDelivery {
  const { device, arrival } = visit
  const events: Hit[] = []
  const add = (seconds: number, type: string, path: string, rest: Partial<Hit> = {}) =>
    events.push({
      event_id: `${person.number}-${number}-${events.length}`,
      event_type: type,
      event_name: type === 'identify' ? 'Identified' : path,
      // Its own clock is all a browser has.
      event_time: iso(visit.at + seconds * 1000 + device.clockErrorMs),
      url: site + path,
      referrer: `${site}/`,
      title: 'Harbour Bikes',
      ...rest,
    })
  const landing = paths[(person.number + number) % paths.length]!
  const cameFrom = referrers[typeof arrival === 'string' ? arrival : arrival.ad.platform]
  add(0, 'page_view', landing, {
    url: landingUrl(landing, arrival, `${person.number}.${number}`),
    referrer: cameFrom,
  })
  for (let page = 1; page < visit.pages; page++) add(page * 70, 'page_view', paths[(page * 3) % paths.length]!)
  if (visit.told) add(300, 'identify', '/account', { user_traits: told(person, visit.told) })
  if (visit.pays) add(25 * 60, 'page_view', '/thank-you', { referrer: 'https://checkout.stripe.com/' })
  return { device, country: person.country, events }
}

export function eventOf({ person }: Life, sale: Sale, number: number): EventDelivery {
  // A guest's order is tied to the browser it was placed in; an account's to the account.
  const isGuest = person.number % 4 === 0
  return {
    event_type: 'payment_received',
    idempotency_key: `order-${person.number}-${number}`,
    occurred_at: iso(sale.at),
    properties: { value: sale.amountMinor / 100, currency: 'USD' },
    user_traits: {
      email: person.email,
      external_id: person.externalId,
      first_name: person.firstName,
      last_name: person.lastName,
    },
    action_source: 'website',
    ...(isGuest && { visitor_id: sale.device.visitorId }),
  }
}

/** As the provider tells it: at first without what was paid back later. */
export function paymentOf({ person }: Life, sale: Sale, number: number): PaymentRow {
  const isStore = sale.way === 'store'
  return {
    provider: isStore ? 'point_of_sale' : 'stripe',
    external_id: `${isStore ? 'receipt' : 'charge'}-${person.number}-${number}`,
    occurred_at: iso(sale.at),
    amount: sale.amountMinor / 100,
    currency: 'USD',
    refunded_amount: 0,
    customer: isStore ? { phone: person.phone } : { email: person.email.toUpperCase(), first_name: person.firstName },
  }
}

export function crmRowOf({ person }: Life, step: CrmStep, number: number): CrmRow {
  return {
    provider: 'hubspot',
    external_id: `${step.type}-${person.number}-${number}`,
    outcome_type: step.type,
    occurred_at: iso(step.at),
    ...(step.valueMinor !== undefined && { value: step.valueMinor / 100, currency: 'USD' }),
    contact: {
      first_name: person.firstName,
      last_name: person.lastName,
      email: person.email,
      phone: person.phone,
      external_id: person.externalId,
      provider_id: `contact-${person.number}`,
    },
    ...(step.ad && { ad_external_id: step.ad.adId }),
  }
}

const told = (person: Person, what: Told): Record<string, string> =>
  what === 'account'
    ? { email: person.email, external_id: person.externalId }
    : { email: person.email, phone: person.phone.replace(/\s/g, '') }

function landingUrl(path: string, arrival: Arrival, click: string): string {
  const query = new URLSearchParams()
  if (arrival === 'email') setAll(query, { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'weekly' })
  else if (typeof arrival !== 'string') tagAd(query, arrival, click)
  return query.size > 0 ? `${site}${path}?${query}` : site + path
}

function tagAd(query: URLSearchParams, { ad, tag }: { ad: Ad; tag: AdTag }, click: string) {
  const { source, medium, clickId } = sources[ad.platform]
  const names: Record<AdTag, Record<string, string>> = {
    service: { svc_campaign_id: ad.campaignId, svc_ad_set_id: ad.adSetId, svc_ad_id: ad.adId },
    utm: { utm_id: ad.campaignId, utm_term: ad.adSetId, utm_content: ad.adId },
    name: { utm_campaign: ad.campaignName },
    click_id: {},
  }
  if (tag !== 'click_id') setAll(query, { utm_source: source, utm_medium: medium })
  setAll(query, { ...names[tag], [clickId]: `demo.${click}` })
}

function setAll(query: URLSearchParams, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) query.set(name, value)
}
