/** Notifications as providers send them, cut to what a shop of ours would get. */

const seconds = (text: string) => Date.parse(text) / 1000

export const stripeCharge = (fields: object = {}) => ({
  id: 'ch_3OmQk2Lkd',
  object: 'charge',
  amount: 12_990,
  amount_captured: 12_990,
  amount_refunded: 0,
  billing_details: {
    address: { city: 'Santiago', country: 'CL', line1: 'Av. Providencia 1', postal_code: '7500000', state: null },
    email: 'Ana.Rojas@Example.com',
    name: 'Ana María Rojas',
    phone: '+56987654321',
  },
  captured: true,
  created: seconds('2026-10-02T10:00:00Z'),
  currency: 'usd',
  customer: 'cus_Pb1',
  description: 'Order 1042',
  livemode: true,
  metadata: {},
  paid: true,
  payment_intent: 'pi_3OmQk2',
  payment_method_details: { card: { brand: 'visa', last4: '4242' }, type: 'card' },
  receipt_email: null,
  refunded: false,
  status: 'succeeded',
  ...fields,
})

let events = 0
export const stripeEvent = (type: string, object: object, fields: object = {}) => ({
  id: `evt_${++events}`,
  object: 'event',
  api_version: '2026-06-30',
  created: seconds('2026-10-02T10:00:05Z'),
  data: { object },
  livemode: true,
  pending_webhooks: 1,
  request: { id: 'req_1', idempotency_key: null },
  type,
  ...fields,
})

export const stripeRefund = (fields: object = {}) => ({
  id: 're_1',
  object: 'refund',
  amount: 2_990,
  charge: 'ch_3OmQk2Lkd',
  created: seconds('2026-10-05T10:00:00Z'),
  currency: 'usd',
  payment_intent: 'pi_3OmQk2',
  reason: 'requested_by_customer',
  status: 'succeeded',
  ...fields,
})

export const shopifyOrder = (fields: object = {}) => ({
  id: 5_678_901_234_567,
  admin_graphql_api_id: 'gid://shopify/Order/5678901234567',
  contact_email: 'luis@example.com',
  created_at: '2026-10-02T07:00:00-03:00',
  currency: 'CLP',
  current_total_price: '45990',
  email: 'luis@example.com',
  financial_status: 'paid',
  landing_site: '/products/collar?gclid=G-123&utm_source=google&utm_medium=cpc',
  name: '#1042',
  phone: null,
  processed_at: '2026-10-02T07:00:01-03:00',
  referring_site: 'https://www.google.com/',
  refunds: [],
  test: false,
  total_price: '45990',
  updated_at: '2026-10-02T07:00:02-03:00',
  customer: {
    id: 207_119_551,
    email: 'luis@example.com',
    first_name: 'Luis',
    last_name: 'Soto',
    phone: '+56911112222',
  },
  billing_address: { first_name: 'Luis', last_name: 'Soto', phone: null, country_code: 'CL' },
  line_items: [{ id: 1, price: '45990', quantity: 1, title: 'Collar' }],
  ...fields,
})

export const shopifyRefund = (fields: object = {}) => ({
  id: 890_088_186_047,
  order_id: 5_678_901_234_567,
  created_at: '2026-10-04T10:00:00-03:00',
  note: null,
  refund_line_items: [],
  transactions: [
    { id: 1, kind: 'refund', status: 'success', amount: '10000', currency: 'CLP', gateway: 'webpay' },
    { id: 2, kind: 'refund', status: 'failure', amount: '999', currency: 'CLP', gateway: 'webpay' },
  ],
  ...fields,
})
