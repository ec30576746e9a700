import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { knownClickIds } from '../domain/click.ts'
import { ids } from '../domain/ids.ts'
import { toMinor } from '../domain/money.ts'
import { type Prompt, whenThere } from '../domain/prompt.ts'
import { checkSubjectRef, subjectRefMessages } from '../domain/subject-ref.ts'
import { hasPerson } from '../domain/text.ts'
import { correctTime, tooOld } from '../domain/time.ts'
import { fieldError } from '../http/errors.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import type { ServerEvent } from '../schemas/messages.ts'
import {
  Amount,
  ClickIds,
  Currency,
  label,
  maxTypeLength,
  moneyMessages,
  PlatformId,
  SubjectRef,
  Time,
  text,
  typeHoldsPerson,
  UserTraits,
  withoutPerson,
} from './fields.ts'
import { erasedPerson, type OnRefused, type SealedParties, sealParties } from './person.ts'

const actionSources = [
  'website',
  'business_messaging',
  'physical_store',
  'system_generated',
  'app',
  'phone_call',
  'chat',
  'email',
  'other',
] as const

const Properties = z.object({
  value: Amount.nullish().meta({ description: "What it is worth, in the currency's main unit." }),
  currency: Currency.nullish().meta({ description: "ISO 4217; the profile's own where it is left out." }),
  subject_ref: SubjectRef,
})

/** SPEC 4.6. Fields that are not listed are cut. */
export const SentEvent = z
  .object({
    event_type: label(maxTypeLength)
      .nullish()
      .meta({
        description: 'What happened, in your own words; a conversion definition that lists it gives it meaning.',
        examples: ['payment_received'],
      }),
    event_name: text(200)
      .nullish()
      .meta({ description: 'A more specific name; the type where event_type is left out.' }),
    idempotency_key: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine((key) => key.isWellFormed(), { error: 'must be well-formed text' })
      .nullish()
      .meta({
        description: 'Your own key of the event. Required whenever it carries money; sent again it replaces the event.',
        examples: ['order-1042'],
      }),
    occurred_at: Time.nullish().meta({
      description: 'When it happened. Where it is left out: now, or, for an event that is sent again, when it was.',
    }),
    properties: Properties.nullish(),
    user_traits: UserTraits.nullish().meta({
      description: 'Who it was. A new external_id (your own customer id) makes a customer that is bound to it.',
    }),
    action_source: z
      .enum(actionSources)
      .nullish()
      .meta({ description: 'Where it happened; reaches the ad platform as it is.' }),
    click_ids: ClickIds.nullish().meta({
      description: 'Click ids by their names; others than the known ones are cut.',
      examples: [{ ctwa_clid: 'ARAkLkA8rmlFeiCktEJQ' }],
    }),
    visitor_id: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .nullish()
      .meta({ description: 'The browser, as its tracker names it.' }),
    campaign_id: PlatformId.nullish().meta({ description: 'The campaign it came by, as the ad platform numbers it.' }),
    ad_set_id: PlatformId.nullish().meta({ description: 'The ad set it came by.' }),
    ad_id: PlatformId.nullish().meta({ description: 'The ad it came by.' }),
  })
  .superRefine(({ event_type, event_name }, context) => {
    const [field, type] = event_type ? (['event_type', event_type] as const) : (['event_name', event_name] as const)
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (!type) return refuse('event_type', 'is required')
    if (type.length > maxTypeLength) refuse(field, `must have 1 to ${maxTypeLength} characters to be the type`)
    if (hasPerson(type)) refuse(field, typeHoldsPerson)
  })
  .meta({ id: 'Event', description: 'An outcome that a system knows of without a browser.' })
export type SentEvent = z.output<typeof SentEvent>

export interface EventContext {
  profile: { id: string; reportingCurrency: string }
  receivedAt: number
  vault: Vault
  onRefused?: OnRefused
}

export function toServerEvent(
  sent: SentEvent,
  context: EventContext,
  freshId: () => string = randomUUID,
): Prompt<ServerEvent> {
  const { profile, receivedAt, vault, onRefused } = context
  const money = moneyOf(sent, profile.reportingCurrency)
  if (money.amount_minor && !sent.idempotency_key) {
    throw failed('idempotency_key', 'is required for an event that carries money, so that a retry is no second one')
  }
  const occurred = correctTime(sent.occurred_at ?? receivedAt, receivedAt)
  if (!occurred.ok) throw failed('occurred_at', tooOld)
  const subjectRef = subjectRefOf(sent.properties?.subject_ref)
  const told = { sent, money, occurred: occurred.value, receivedAt, freshId }
  const parties = sealParties(vault, profile.id, { person: sent.user_traits, subjectRef }, onRefused)
  return whenThere(parties, (sealed) => messageOf(profile.id, told, sealed))
}

interface Told {
  sent: SentEvent
  money: ReturnType<typeof moneyOf>
  occurred: { time: number; isClamped: boolean }
  receivedAt: number
  freshId: () => string
}

function messageOf(
  profileId: string,
  { sent, money, occurred, receivedAt, freshId }: Told,
  { person, subjectRefToken }: SealedParties,
): ServerEvent {
  return {
    profile_id: profileId,
    outcome_event_id: sent.idempotency_key ? ids.serverEvent(profileId, sent.idempotency_key) : freshId(),
    event_type: sent.event_type ?? sent.event_name ?? '',
    event_name: sent.event_name ? withoutPerson(sent.event_name, 200) : null,
    occurred_at: occurred.time,
    received_at: receivedAt,
    is_clamped: occurred.isClamped,
    ...money,
    action_source: sent.action_source ?? null,
    click_ids: knownClickIds(sent.click_ids ?? {}),
    campaign_ref: sent.campaign_id ?? null,
    ad_set_ref: sent.ad_set_id ?? null,
    ad_ref: sent.ad_id ?? null,
    // A browser would give the event of an erased customer to whoever uses it.
    visitor_id: sent.visitor_id && person !== erasedPerson ? ids.visitor(profileId, sent.visitor_id) : null,
    subject_ref_token: subjectRefToken,
    country: countryOf(sent.user_traits?.country),
    ...person,
  }
}

function moneyOf({ properties }: SentEvent, reportingCurrency: string) {
  if (properties?.value == null) return { amount_minor: null, currency: null }
  const currency = properties.currency ?? reportingCurrency
  const minor = toMinor(properties.value, currency)
  if (!minor.ok) throw failed('properties.value', moneyMessages[minor.reason])
  return { amount_minor: minor.value, currency }
}

/** SPEC 4.6: whatever breaks a rule of subject_ref is 400 invalid_parameter. */
export function subjectRefOf(sent: unknown, field = 'properties.subject_ref'): string | null {
  if (sent === undefined || sent === null) return null
  if (typeof sent !== 'string') throw invalid(field, subjectRefMessages.shape)
  const checked = checkSubjectRef(sent)
  if (!checked.ok) throw invalid(field, subjectRefMessages[checked.reason])
  return checked.value
}

const countryOf = (country: string | null | undefined) => {
  const code = country?.trim().toUpperCase()
  return code && /^[A-Z]{2}$/.test(code) ? code : null
}

const invalid = (field: string, message: string) => fieldError('invalid_parameter', field, message)
export const failed = (field: string, message: string) => fieldError('validation_error', field, message)
