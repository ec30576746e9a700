import { reduceAddress, reduceReferrer } from './address.ts'
import { choiceName, consentOf } from './consent.ts'
import { domainsOf } from './cookie-domains.ts'
import type { Settings } from './settings.ts'
import { uuid } from './uuid.ts'

declare const TOUCHLINE_SETTINGS: Settings

/** What the store gives a custom pixel inside its sandbox. */
interface StoreEvent {
  id: string
  timestamp: string
  context: { document: { location: { href: string }; referrer: string } }
  data: { checkout?: Checkout }
}
interface Checkout {
  order?: { id?: string | null } | null
  totalPrice?: { amount: number } | null
  currencyCode?: string | null
  email?: string | null
  phone?: string | null
  billingAddress?: { firstName?: string | null; lastName?: string | null; countryCode?: string | null } | null
}
declare const analytics: { subscribe(name: string, handler: (event: StoreEvent) => void): void }
declare const browser: { cookie: { get(name: string): Promise<string>; set(text: string): Promise<string> } }

const settings = TOUCHLINE_SETTINGS
const { key, url, days = 395 } = settings
const name = '_tl_vid'
let unkept: string | undefined

/** As on the storefront: the browser's signals, the choice made there, the site's default. */
async function isGranted(): Promise<boolean> {
  const choice = await browser.cookie.get(choiceName)
  const page = { navigator: typeof navigator === 'undefined' ? {} : navigator } as Window
  return consentOf(page, settings, choice) === 'granted'
}

/** The storefront's tracker keeps the visitor in the same cookie, so that a checkout belongs to the visit before it. */
async function visitorId(hostname: string): Promise<string> {
  const [found = '', since] = (await browser.cookie.get(name)).split('.')
  const known = /^[\w-]{8,64}$/.test(found)
  const today = Math.floor(Date.now() / 86_400_000)
  if (known && Number(since) === today) return found
  const id = known ? found : unkept || uuid()
  const value = `${id}.${today}`
  unkept = undefined
  for (const domain of settings.domain ? [settings.domain, ''] : domainsOf(hostname)) {
    await browser.cookie.set(
      `${name}=${value}; path=/; max-age=${days * 86_400}; SameSite=Lax; Secure${domain && `; domain=${domain}`}`,
    )
    if ((await browser.cookie.get(name)) === value) return id
  }
  unkept = id
  return id
}

async function send(type: string, { id, timestamp, context }: StoreEvent, fields: object = {}): Promise<void> {
  try {
    if (!(await isGranted())) return
    const { location, referrer } = context.document
    const { origin, hostname } = new URL(location.href)
    const event = {
      event_id: id,
      event_type: type,
      event_time: Date.parse(timestamp),
      url: reduceAddress(origin, location.href, settings.spa === 'hash'),
      referrer: reduceReferrer(referrer) || undefined,
    }
    const body = {
      tracking_key: key,
      visitor_id: await visitorId(hostname),
      sent_at: Date.now(),
      events: [{ ...event, ...fields }],
    }
    await fetch(url, { method: 'POST', body: JSON.stringify(body), keepalive: true, credentials: 'omit' })
  } catch {
    // The store comes first.
  }
}

const traitsOf = ({ email, phone, billingAddress }: Checkout) => ({
  email: email || undefined,
  phone: phone || undefined,
  first_name: billingAddress?.firstName || undefined,
  last_name: billingAddress?.lastName || undefined,
  country: billingAddress?.countryCode || undefined,
})

analytics.subscribe('page_viewed', (event) => void send('page_view', event))
analytics.subscribe('checkout_started', (event) => void send('checkout_started', event))
analytics.subscribe('checkout_completed', (event) => {
  const { checkout = {} } = event.data
  const value = checkout.totalPrice?.amount
  void send(
    'checkout_completed',
    { ...event, id: checkout.order?.id || event.id },
    {
      properties: value == null ? undefined : { value, currency: checkout.currencyCode },
      user_traits: traitsOf(checkout),
    },
  )
})
