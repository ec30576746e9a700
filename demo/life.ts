import { type Ad, type Purpose, running } from './ads.ts'
import type { Device, Person } from './people.ts'
import type { Random } from './random.ts'

/** How much a click says about its ad: the service's parameters, ids in tags, a name, or the platform's click id alone. */
export type AdTag = 'service' | 'utm' | 'name' | 'click_id'
export type Unpaid = 'direct' | 'organic_search' | 'organic_social' | 'referral' | 'email' | 'assistant'
export type Arrival = { ad: Ad; tag: AdTag } | Unpaid

/** What a person tells the site about himself; a browser knows nothing else of him. */
export type Told = 'account' | 'contact'

export interface Visit {
  device: Device
  at: number
  arrival: Arrival
  pages: number
  told?: Told
  /** The visit ends with a payment at the provider, and the way back from there. */
  pays?: boolean
}

export interface Sale {
  at: number
  amountMinor: number
  refundedMinor: number
  /** On the site, at the payment provider, or over the counter. */
  way: 'site' | 'provider' | 'store'
  device: Device
  /** The ad without which it would not have happened. */
  cause: Ad | null
}

export interface CrmStep {
  type: 'lead_created' | 'appointment_booked' | 'closed_won'
  at: number
  valueMinor?: number
  /** A form on the platform itself names its ad; there is no visit. */
  ad?: Ad
}

export interface Life {
  person: Person
  visits: Visit[]
  sales: Sale[]
  crm: CrmStep[]
}

export interface World {
  ads: readonly Ad[]
  firstDay: number
  until: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const storeShare = 0.15
const returnsBeforeBuying = [
  [0, 30],
  [1, 35],
  [2, 25],
  [3, 10],
] as const

/** Somebody who comes to the site: looks around, may be won by an ad, may have come to buy anyway. */
export function browse(person: Person, random: Random, world: World): Life {
  const life: Life = { person, visits: [], sales: [], crm: [] }
  const visit = (at: number, arrival: Arrival, told?: Told): Visit => {
    const made = { device: deviceFor(person, random), at, arrival, pages: random.whole(1, 4), ...(told && { told }) }
    life.visits.push(made)
    return made
  }
  let at = world.firstDay + random.between(0, world.until - world.firstDay)
  const isDecided = random.chance(0.05)
  let cause: Ad | null = null
  for (let more = true; more; ) {
    const isKnownHere = isDecided || (life.visits.length > 0 && random.chance(0.35))
    const arrival = isKnownHere ? returning(at, random, world) : discovering(at, random, world)
    visit(at, arrival)
    if (isDecided) break
    if (typeof arrival !== 'string' && random.chance(arrival.ad.influence)) {
      cause = arrival.ad
      break
    }
    more = random.chance(0.5)
    if (more) at += hourMs + random.exponential(3 * dayMs)
  }
  if (isDecided || cause) buy(life, visit, at, cause, random, world)
  else if (random.chance(0.12)) {
    life.visits.at(-1)!.told = 'contact'
    life.crm.push({ type: 'lead_created', at: at + 10 * minuteMs })
  }
  recognise(life, random)
  return before(life, world.until)
}

/** Somebody who filled in the form that an ad showed on the platform itself, and is called back. */
export function answerForm(person: Person, random: Random, world: World): Life {
  const at = world.firstDay + random.between(0, world.until - world.firstDay)
  const ad = draw(['lead_form'], at, random, world)
  const life: Life = { person, visits: [], sales: [], crm: [] }
  if (!ad) return life
  life.crm.push({ type: 'lead_created', at, ad })
  if (random.chance(0.5)) life.crm.push({ type: 'appointment_booked', at: at + random.between(1, 48) * hourMs })
  if (random.chance(ad.influence)) sellInStore(life, at + random.between(1, 9) * dayMs, ad, random)
  return before(life, world.until)
}

/** Somebody who walks in from the street and leaves a phone number. */
export function walkIn(person: Person, random: Random, world: World): Life {
  const life: Life = { person, visits: [], sales: [], crm: [] }
  life.sales.push(sale(life, random, 'store', world.firstDay + random.between(0, world.until - world.firstDay), null))
  return before(life, world.until)
}

type MakeVisit = (at: number, arrival: Arrival, told?: Told) => Visit

/** From the wish to the purchase: some come back a few times first, by whatever is nearest at hand. */
function buy(life: Life, visit: MakeVisit, wishedAt: number, cause: Ad | null, random: Random, world: World) {
  if (random.chance(storeShare)) {
    if (random.chance(0.7)) {
      life.visits.at(-1)!.told = 'contact'
      life.crm.push({ type: 'lead_created', at: wishedAt + 10 * minuteMs })
    }
    sellInStore(life, wishedAt + random.between(0.1, 8) * dayMs, cause, random)
    return
  }
  let at = wishedAt
  let last = life.visits.at(-1)!
  for (let returns = random.weighted(returnsBeforeBuying); returns > 0; returns--) {
    at += hourMs + random.exponential(2 * dayMs)
    last = visit(at, returning(at, random, world))
  }
  pay(life, last, cause, random)
  if (random.chance(0.18)) {
    at += random.between(5, 25) * dayMs
    // Whoever was won once is won: a later purchase has the same cause.
    pay(life, visit(at, returning(at, random, world)), cause, random)
  }
}

function pay(life: Life, visit: Visit, cause: Ad | null, random: Random) {
  if (random.chance(0.9)) visit.told = 'account'
  visit.pays = true
  const way = random.chance(0.6) ? 'site' : 'provider'
  const paidAt = visit.at + random.between(12, 25) * minuteMs
  life.sales.push({ ...sale(life, random, way, paidAt, cause), device: visit.device })
}

function sellInStore(life: Life, at: number, cause: Ad | null, random: Random) {
  const sold = sale(life, random, 'store', at, cause)
  life.sales.push(sold)
  if (life.crm.length > 0) life.crm.push({ type: 'closed_won', at, valueMinor: sold.amountMinor })
}

function sale({ person }: Life, random: Random, way: Sale['way'], at: number, cause: Ad | null): Sale {
  const amountMinor = Math.round(3900 + random.exponential(11_000))
  const isRefunded = way !== 'site' && random.chance(0.1)
  const refundedMinor = !isRefunded ? 0 : random.chance(0.5) ? amountMinor : Math.round(amountMinor / 3)
  return { at, amountMinor, refundedMinor, way, device: person.devices[0]!, cause }
}

/** Late identification: a device that never said whose it is may do so on a later visit, and its past counts. */
function recognise({ person, visits, sales, crm }: Life, random: Random) {
  if (sales.length === 0 && crm.length === 0) return
  const lastAt = Math.max(...visits.map(({ at }) => at))
  for (const device of person.devices) {
    const own = visits.filter((visit) => visit.device === device)
    if (own.length === 0 || own.some(({ told }) => told) || !random.chance(0.7)) continue
    const at = lastAt + hourMs + random.exponential(3 * dayMs)
    visits.push({ device, at, arrival: random.chance(0.5) ? 'email' : 'direct', pages: 1, told: 'account' })
  }
}

const deviceFor = ({ devices }: Person, random: Random) => (random.chance(0.6) ? devices[0]! : random.pick(devices))

function discovering(at: number, random: Random, world: World): Arrival {
  const way = random.weighted<'prospecting' | 'search' | Unpaid>([
    ['prospecting', 52],
    ['search', 17],
    ['organic_search', 13],
    ['organic_social', 5],
    ['referral', 4],
    ['assistant', 3],
    ['direct', 6],
  ])
  return way === 'prospecting' || way === 'search' ? click([way], at, random, world) : way
}

function returning(at: number, random: Random, world: World): Arrival {
  const way = random.weighted<'brand' | 'retargeting' | Unpaid>([
    ['direct', 34],
    ['brand', 26],
    ['retargeting', 24],
    ['email', 9],
    ['organic_search', 7],
  ])
  return way === 'brand' || way === 'retargeting' ? click([way], at, random, world) : way
}

function click(purposes: Purpose[], at: number, random: Random, world: World): Arrival {
  const ad = draw(purposes, at, random, world)
  if (!ad) return 'direct'
  const tag = random.weighted<AdTag>([
    ['service', 62],
    ['utm', 22],
    ['name', 7],
    ['click_id', 9],
  ])
  return { ad, tag }
}

function draw(purposes: Purpose[], at: number, random: Random, { ads, firstDay }: World): Ad | undefined {
  const candidates = running(ads, purposes, Math.floor((at - firstDay) / dayMs))
  return candidates.length > 0 ? random.weighted(candidates) : undefined
}

/** What would lie in the future has not happened. */
function before(life: Life, until: number): Life {
  const hasHappened = ({ at }: { at: number }) => at < until
  // A visit takes up to half an hour; one that is still going on is left out.
  const visits = life.visits.filter(({ at }) => at + 30 * minuteMs < until)
  return { ...life, visits, sales: life.sales.filter(hasHappened), crm: life.crm.filter(hasHappened) }
}
