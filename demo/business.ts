import { type Delivery, deliver } from './ad-delivery.ts'
import { type Ad, days, placeAds } from './ads.ts'
import { answerForm, browse, type Life, type World, walkIn } from './life.ts'
import {
  type CrmRow,
  crmRowOf,
  type EventDelivery,
  eventOf,
  type HitDelivery,
  hitsOf,
  type PaymentRow,
  paymentOf,
} from './messages.ts'
import { createPerson, mostPeople } from './people.ts'
import { type Random, seeded } from './random.ts'
import { type Truth, truthOf } from './truth.ts'

export interface BusinessOptions {
  seed: number
  /** People who come to the site; others only call or walk in. */
  visitors: number
  /** The present: nothing happens after it. */
  until: number
}

/** Everything a business sends in sixty days, in the order it sends it, and what really happened. */
export interface Business {
  ads: Ad[]
  delivery: Delivery
  /** Shuffled, some of them twice. */
  hits: HitDelivery[]
  /** Of devices that were out of reach: sent last. */
  lateHits: HitDelivery[]
  events: EventDelivery[]
  crm: CrmRow[]
  payments: PaymentRow[]
  /** The same payments again, once money has been paid back. */
  refunds: PaymentRow[]
  truth: Truth
  /** A visitor id of somebody who bought after visits with several devices. */
  example: { visitorId: string; devices: number }
  dateFrom: string
  dateTo: string
}

export const maxVisitors = 50_000
const dayMs = 86_400_000

export function createBusiness({ seed, visitors, until }: BusinessOptions): Business {
  if (visitors > maxVisitors || visitors * 1.1 > mostPeople) throw new RangeError(`at most ${maxVisitors} visitors`)
  const firstDay = Math.floor(until / dayMs) * dayMs - (days - 1) * dayMs
  const ads = placeAds(seed, visitors)
  const delivery = deliver(seed, ads, firstDay)
  const lives = simulate(seed, visitors, { ads, firstDay, until })
  const random = seeded(seed, 'transport')
  const hits = lives.flatMap((life) => life.visits.map((visit, number) => hitsOf(life, visit, number)))
  const bySale = <T>(ways: string[], make: (life: Life, sale: Life['sales'][number], number: number) => T): T[] =>
    lives.flatMap((life) =>
      life.sales.flatMap((sale, number) => (ways.includes(sale.way) ? [make(life, sale, number)] : [])),
    )
  return {
    ads,
    delivery,
    hits: disorder(
      hits.filter(({ device }) => !device.isLate),
      0.05,
      random,
    ),
    lateHits: disorder(
      hits.filter(({ device }) => device.isLate),
      0.05,
      random,
    ),
    events: disorder(bySale(['site'], eventOf), 0.1, random),
    crm: disorder(
      lives.flatMap((life) => life.crm.map((step, number) => crmRowOf(life, step, number))),
      0.03,
      random,
    ),
    payments: disorder(bySale(['provider', 'store'], paymentOf), 0.03, random),
    refunds: bySale(['provider', 'store'], (life, sale, number) => ({
      ...paymentOf(life, sale, number),
      refunded_amount: sale.refundedMinor / 100,
    })).filter(({ refunded_amount }) => refunded_amount > 0),
    truth: truthOf(lives, ads, delivery),
    example: findExample(lives),
    dateFrom: day(firstDay),
    dateTo: day(until),
  }
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Each life has chances of its own, so that one more visitor changes nobody else's. */
function simulate(seed: number, visitors: number, world: World): Life[] {
  const live = (count: number, from: number, kind: (...args: Parameters<typeof browse>) => Life) =>
    Array.from({ length: Math.round(count) }, (_, at) => {
      const random = seeded(seed, `${kind.name}:${at}`)
      return kind(createPerson(from + at, random), random, world)
    })
  const leads = Math.round(visitors * 0.05)
  return [
    ...live(visitors, 0, browse),
    ...live(leads, visitors, answerForm),
    ...live(visitors * 0.015, visitors + leads, walkIn),
  ]
}

/** As networks deliver: in any order, and some of it twice. */
function disorder<T>(items: T[], twice: number, random: Random): T[] {
  return random.shuffle([...items, ...items.filter(() => random.chance(twice))])
}

function findExample(lives: Life[]): Business['example'] {
  const interest = ({ visits, sales }: Life) => {
    const known = new Set(visits.filter(({ told }) => told).map(({ device }) => device))
    const ofKnown = visits.filter(({ device }) => known.has(device))
    const ads = new Set(ofKnown.flatMap(({ arrival }) => (typeof arrival === 'string' ? [] : [arrival.ad.campaignId])))
    const isReadable = sales.length === 1 && ofKnown.length === visits.length && visits.length <= 6
    return isReadable ? 10 * Math.min(known.size, 2) + ads.size : 0
  }
  const best = lives.reduce((found, life) => (interest(life) > interest(found) ? life : found))
  const { device } = best.visits.find(({ told }) => told) ?? { device: best.person.devices[0]! }
  return { visitorId: device.visitorId, devices: new Set(best.visits.map((visit) => visit.device)).size }
}
