import { uuid } from './uuid.ts'

declare const TOUCHLINE_SETTINGS: { key: string; url: string; days: number }

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

const { key, url, days } = TOUCHLINE_SETTINGS
const name = '_tl_vid'

/** The storefront's tracker keeps the visitor in the same cookie, so that a checkout belongs to the visit before it. */
async function visitorId(): Promise<string> {
  const [known] = (await browser.cookie.get(name)).split('.')
  const id = known || uuid()
  await browser.cookie.set(
    `${name}=${id}.${Math.floor(Date.now() / 86_400_000)}; path=/; max-age=${days * 86_400}; SameSite=Lax; Secure`,
  )
  return id
}

async function send(type: string, { id, timestamp, context }: StoreEvent, fields: object = {}): Promise<void> {
  try {
    const { location, referrer } = context.document
    const event = { event_id: id, event_type: type, event_time: Date.parse(timestamp), url: location.href, referrer }
    const body = {
      tracking_key: key,
      visitor_id: await visitorId(),
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
