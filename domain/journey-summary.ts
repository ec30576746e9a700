import { isNavigation } from './navigation.ts'

/** All that a summary is written from: nothing that names or finds a person. */
export interface SummaryEvent {
  type: string
  /** ISO 8601, to the minute. */
  time: string
  channel: string | null
  /** Exact decimal with its currency, `12.50 USD`. */
  value: string | null
  /** An off-site conversion that is a touch of its own. */
  isSynthetic: boolean
}

const plainType = /^[a-z][a-z0-9_. -]{0,59}$/i

/** Senders choose event types freely; one that could hold an address, a number or a name of its own is not passed on. */
export const plainEventType = (type: string): string => (plainType.test(type) && !/\d{5}/.test(type) ? type : 'other')

/** A summary in plain words, the same for the same events. */
export function summarise(events: readonly SummaryEvent[], totalCount: number): string {
  const [first, last] = [events[0], events.at(-1)]
  if (!first || !last) return ''
  const visits = events.filter(({ type }) => isNavigation(type))
  const outcomes = events.filter(({ type }) => !isNavigation(type))
  const sentences = [
    span(events, totalCount),
    first.channel && `It began with ${first.type} through ${first.channel}.`,
    visits.length > 0 && visited(visits),
    ...outcomesTold(outcomes),
    events.length > 1 && `The last of them was ${last.type} on ${dayOf(last)}.`,
  ]
  return sentences.filter((sentence) => typeof sentence === 'string' && sentence !== '').join(' ')
}

function span(events: readonly SummaryEvent[], totalCount: number): string {
  const [from, to] = [dayOf(events[0]!), dayOf(events.at(-1)!)]
  const when = from === to ? `on ${from}` : `from ${from} to ${to}`
  const isWhole = totalCount <= events.length
  return `${isWhole ? 'The journey has' : 'The first'} ${counted(events.length, 'event')}${isWhole ? '' : ` of ${totalCount}`}, ${when} (UTC).`
}

function visited(visits: readonly SummaryEvent[]): string {
  const days = new Set(visits.map(dayOf)).size
  const channels = [...new Set(visits.flatMap(({ channel }) => channel ?? []))]
  const through = channels.length > 0 ? `, through ${listed(channels)}` : ''
  return `${counted(visits.length, 'page view or sign-in', 'page views and sign-ins')} on ${counted(days, 'day')}${through}.`
}

const mostOutcomes = 10

function outcomesTold(outcomes: readonly SummaryEvent[]): string[] {
  if (outcomes.length === 0) return ['Nothing was bought, booked or asked for.']
  const told = outcomes.slice(0, mostOutcomes).map((event) => {
    const value = event.value === null ? '' : ` of ${event.value}`
    const offSite = event.isSynthetic ? `, off the site${event.channel ? ` through ${event.channel}` : ''}` : ''
    return `${event.type}${value} on ${dayOf(event)}${offSite}`
  })
  const rest = outcomes.length - told.length
  return [`What came of it: ${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}.`]
}

const dayOf = ({ time }: SummaryEvent) => time.slice(0, 10)
const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`
const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
