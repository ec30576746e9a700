import fc from 'fast-check'

/** One thing that is told to the service. Ops with one key keep their order: there the last word counts. */
export type Op =
  | { kind: 'visit'; key: string; id: string; visitor: string; at: number; ad: string | null; who: Who | null }
  | { kind: 'event'; key: string; id: string; at: number; type: string; amount: number; who: Who; ref: string | null }
  | {
      kind: 'payment'
      key: string
      id: string
      at: number
      amount: number
      refunded: number
      who: Who
      ref: string | null
    }
  | {
      kind: 'lead'
      key: string
      id: string
      at: number
      ad: string | null
      who: Who
      type: string
      stage: string | null
    }
  | { kind: 'stage'; key: string; stage: string; eventKey: string }
  | { kind: 'mark'; key: string; payment: string; isInstallment: boolean }
  | { kind: 'refund'; key: string; payment: string; amount: number }
  | { kind: 'payer'; key: string; payment: string; email: string | null }
  | { kind: 'delivery'; key: string; ad: string; day: number; spend: number }

export interface Who {
  email?: string
  phone?: string
  external_id?: string
}

const email = fc.constantFrom('ann@shop.example', 'bob@shop.example', 'cleo@shop.example')
const phone = fc.constantFrom('+56911111111', '+56922222222')
const externalId = fc.constantFrom('C-1', 'C-2')
const who = fc
  .record({ email, phone, external_id: externalId }, { requiredKeys: [] })
  .filter((one) => Object.keys(one).length > 0) as fc.Arbitrary<Who>
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })
const ad = fc.constantFrom('ad-1', 'ad-2', 'ad-3', 'ad-unknown')
const ref = maybe(fc.constantFrom('pet-1', 'pet-2'))
const amount = fc.integer({ min: 1, max: 500_00 })

const day = 86_400_000
const span = 50 * day

/** Times are told apart by an op's place, so that no tie is broken by an id, which differs between profiles. */
const time = fc.nat({ max: span / 1000 - 1 })

const visit = fc.record({ visitor: fc.constantFrom('v1', 'v2', 'v3'), at: time, ad: maybe(ad), who: maybe(who) })
const event = fc.record({
  at: time,
  type: fc.constantFrom('payment_received', 'lead_created', 'unlisted'),
  versions: fc.array(fc.record({ amount, who, ref }), { minLength: 1, maxLength: 2 }),
})
const payment = fc.record({
  at: time,
  amount,
  who,
  ref,
  refunds: fc.array(fc.nat({ max: 600_00 }), { maxLength: 2 }),
  marks: fc.array(fc.boolean(), { maxLength: 2 }),
  manual: fc.array(fc.nat({ max: 100_00 }), { maxLength: 1 }),
  payers: fc.array(maybe(email), { maxLength: 2 }),
})
const stage = fc.constantFrom('Agendado', 'Propuesta', 'Etapa 3')
const lead = fc.record({
  at: time,
  ad: maybe(ad),
  who,
  steps: fc.array(fc.record({ type: fc.constantFrom('lead_created', 'closed_won'), stage: maybe(stage) }), {
    minLength: 1,
    maxLength: 2,
  }),
})
const mapping = fc.record({ stage, eventKey: fc.constantFrom('lead_created', 'quote_sent', 'unmapped', 'ignored') })
const delivery = fc.record({ ad: fc.constantFrom('ad-1', 'ad-2', 'ad-3'), day: fc.nat({ max: 49 }), spend: amount })

export const history: fc.Arbitrary<Op[]> = fc
  .record({
    visits: fc.array(visit, { minLength: 1, maxLength: 8 }),
    events: fc.array(event, { maxLength: 3 }),
    payments: fc.array(payment, { maxLength: 3 }),
    leads: fc.array(lead, { maxLength: 2 }),
    mappings: fc.array(mapping, { maxLength: 2 }),
    deliveries: fc.array(delivery, { maxLength: 3 }),
  })
  .map(({ visits, events, payments, leads, mappings, deliveries }) => {
    let place = 0
    const unique = (at: number) => at * 1000 + place++
    return [
      ...visits.map((one, i): Op => ({ kind: 'visit', key: `visit ${i}`, id: `hit-${i}`, ...one, at: unique(one.at) })),
      ...events.flatMap(({ at, type, versions }, i) => {
        const when = unique(at)
        return versions.map(
          (one): Op => ({ kind: 'event', key: `event ${i}`, id: `order-${i}`, type, at: when, ...one }),
        )
      }),
      ...payments.flatMap(({ at, refunds, marks, manual, payers, ...one }, i): Op[] => {
        const when = unique(at)
        const id = `pay-${i}`
        return [
          ...[0, ...refunds].map(
            (refunded): Op => ({ kind: 'payment', key: `payment ${i}`, id, at: when, refunded, ...one }),
          ),
          ...marks.map((isInstallment): Op => ({ kind: 'mark', key: `mark ${i}`, payment: id, isInstallment })),
          ...manual.map((refund): Op => ({ kind: 'refund', key: `refund ${i}`, payment: id, amount: refund })),
          ...payers.map((payer): Op => ({ kind: 'payer', key: `payer ${i}`, payment: id, email: payer })),
        ]
      }),
      ...leads.flatMap(({ at, steps, ...one }, i) => {
        const when = unique(at)
        return steps.map((step): Op => ({ kind: 'lead', key: `lead ${i}`, id: `lead-${i}`, ...one, ...step, at: when }))
      }),
      ...mappings.map((one): Op => ({ kind: 'stage', key: `stage ${one.stage}`, ...one })),
      ...deliveries.map((one): Op => ({ kind: 'delivery', key: `delivery ${one.ad} ${one.day}`, ...one })),
    ]
  })

/** The same history as the network may deliver it: shuffled across keys, with repeats of what was last said of a key. */
export function disturbed(ops: Op[], random: () => number): Op[] {
  const queues = [...Map.groupBy(ops, (op) => op.key).values()].map((queue) => [...queue])
  const sent: Op[] = []
  const latest = new Map<string, Op>()
  while (queues.some((queue) => queue.length > 0)) {
    const filled = queues.filter((queue) => queue.length > 0)
    const next = filled[Math.floor(random() * filled.length)]!.shift()!
    sent.push(next)
    latest.set(next.key, next)
    if (random() < 0.25) sent.push([...latest.values()][Math.floor(random() * latest.size)]!)
  }
  return sent
}
