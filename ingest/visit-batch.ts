import { z } from 'zod'
import { reduceReferrer, reduceUrl } from '../domain/click.ts'
import { ids, isUuid } from '../domain/ids.ts'
import type { LinkTokens } from '../domain/link-tokens.ts'
import { toMinor } from '../domain/money.ts'
import { clockSkew, correctTime, tooOld } from '../domain/time.ts'
import type { Agent } from '../domain/user-agent.ts'
import { fieldError } from '../http/errors.ts'
import type { TrackedProfile } from '../postgres/stores/tracking-key-lookup.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import type { Hit, VisitBatch } from '../schemas/messages.ts'
import { Amount, Currency, EventType, moneyMessages, Time, VisitorTraits, withoutPerson } from './fields.ts'
import type { Place } from './locate.ts'
import { type OnRefused, sealPerson } from './person.ts'

export const maxEvents = 100

/** Of a hit's properties only its money is kept; everything else in them, and the title, is cut. */
const Properties = z.object({ value: Amount.nullish(), currency: Currency.nullish() })

const SentHit = z.object({
  event_id: z.string().min(1).max(200),
  event_type: EventType,
  event_name: z.string().max(1000).nullish(),
  event_time: Time.nullish(),
  url: z.string().nullish(),
  referrer: z.string().nullish(),
  properties: Properties.nullish(),
  user_traits: VisitorTraits.nullish(),
  // Whatever it is: a token that is none is ignored, and the visit counts (SPEC 4.1).
  link_token: z.unknown().optional(),
})
type SentHit = z.output<typeof SentHit>

/** What the tracker sends. Fields that are not listed are cut, so that a newer tracker still works. */
export const SentVisit = z.object({
  visitor_id: z.string().trim().min(1).max(200),
  sent_at: Time.nullish(),
  events: z.array(SentHit).min(1).max(maxEvents),
})
export type SentVisit = z.output<typeof SentVisit>

export interface VisitContext {
  profile: Pick<TrackedProfile, 'id' | 'reportingCurrency'>
  receivedAt: number
  agent: Agent
  place: Place
  vault: Vault
  linkTokens?: LinkTokens | undefined
  onRefused?: OnRefused
}

/**
 * Everything one browser sent in one request, without anything personal in clear. Hits without a person need no
 * look-up, so theirs is there at once.
 */
export function toVisitBatch(visit: SentVisit, context: VisitContext): VisitBatch | Promise<VisitBatch> {
  const batch = withoutPersons(visit, context)
  return visit.events.some(({ user_traits, link_token }) => user_traits || link_token)
    ? addPersons(batch, visit, context)
    : batch
}

async function addPersons(batch: VisitBatch, visit: SentVisit, context: VisitContext): Promise<VisitBatch> {
  await Promise.all(
    visit.events.map(async (sent, at) => {
      const hit = batch.hits[at]!
      if (sent.user_traits) Object.assign(hit, await sealTraits(sent, context))
      if (sent.link_token) hit.linked_token = await linkedToken(sent, context)
    }),
  )
  return batch
}

function withoutPersons(visit: SentVisit, context: VisitContext): VisitBatch {
  const { profile, receivedAt, agent, place } = context
  const skewMs = clockSkew(visit.sent_at ?? null, receivedAt)
  return {
    profile_id: profile.id,
    visitor_id: ids.visitor(profile.id, visit.visitor_id),
    received_at: receivedAt,
    clock_skew_ms: skewMs,
    device: agent.device,
    browser: agent.browser,
    os: agent.os,
    country: place.country,
    city: place.city,
    is_bot: agent.isBot,
    hits: visit.events.map((sent, at) => toHit(sent, at, visit.visitor_id, skewMs, context)),
  }
}

async function linkedToken({ link_token }: SentHit, { linkTokens, profile, receivedAt }: VisitContext) {
  if (!linkTokens || typeof link_token !== 'string') return null
  return (await linkTokens.open(profile.id, link_token, new Date(receivedAt))) ?? null
}

const sealTraits = ({ user_traits }: SentHit, { vault, profile, place, onRefused }: VisitContext) =>
  sealPerson(vault, profile.id, { ...user_traits, country: user_traits?.country ?? place.country }, onRefused)

function toHit(sent: SentHit, at: number, visitorId: string, skewMs: number, context: VisitContext): Hit {
  const { profile, receivedAt } = context
  const corrected =
    sent.event_time == null
      ? { ok: true as const, value: { time: receivedAt, isClamped: false } }
      : correctTime(sent.event_time, receivedAt, skewMs)
  if (!corrected.ok) throw refusal(at, 'event_time', tooOld)
  const click = reduceUrl(sent.url ?? '')
  return {
    event_id: isUuid(sent.event_id) ? sent.event_id.toLowerCase() : ids.hit(profile.id, visitorId, sent.event_id),
    event_type: sent.event_type,
    event_name: sent.event_name ? withoutPerson(sent.event_name, 200) : null,
    event_time: corrected.value.time,
    is_clamped: corrected.value.isClamped,
    url: click.url,
    path: click.path,
    referrer: sent.referrer ? reduceReferrer(sent.referrer) : null,
    utm: click.utm,
    click_ids: click.clickIds,
    campaign_ref: click.campaignRef,
    ad_set_ref: click.adSetRef,
    ad_ref: click.adRef,
    ...moneyOf(sent, at, profile),
    identifiers: [],
    traits: null,
    linked_token: null,
  }
}

/** A value without a currency is in the profile's own. */
function moneyOf({ properties }: SentHit, at: number, profile: VisitContext['profile']) {
  if (properties?.value == null) return { amount_minor: null, currency: null }
  const currency = properties.currency ?? profile.reportingCurrency
  const minor = toMinor(properties.value, currency)
  if (!minor.ok) throw refusal(at, 'properties.value', moneyMessages[minor.reason])
  return { amount_minor: minor.value, currency }
}

const refusal = (at: number, field: string, message: string) =>
  fieldError('validation_error', `events[${at}].${field}`, message)
