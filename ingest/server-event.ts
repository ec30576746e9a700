import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { knownClickIds } from '../domain/click.ts'
import { ids } from '../domain/ids.ts'
import { toMinor } from '../domain/money.ts'
import { checkSubjectRef, subjectRefMessages } from '../domain/subject-ref.ts'
import { cleanText } from '../domain/text.ts'
import { correctTime } from '../domain/time.ts'
import { ApiError } from '../http/errors.ts'
import type { Vault } from '../postgres/stores/vault.ts'
import type { ServerEvent } from '../schemas/messages.ts'
import {
  Amount,
  ClickIds,
  Currency,
  label,
  moneyMessages,
  PlatformId,
  Time,
  text,
  UserTraits,
  withoutPerson,
} from './fields.ts'
import { type OnRefused, sealPerson, subjectToken } from './person.ts'

export const actionSources = [
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
  subject_ref: z
    .unknown()
    .optional()
    .meta({ description: 'Your opaque id of who a payment is for: a UUID, or a token.' }),
})

/** SPEC 4.6. Fields that are not listed are cut. */
export const SentEvent = z
  .object({
    event_type: label(100).nullish(),
    event_name: text(200).nullish(),
    idempotency_key: z.string().trim().min(1).max(200).nullish(),
    occurred_at: Time.nullish(),
    properties: Properties.nullish(),
    user_traits: UserTraits.nullish(),
    action_source: z.enum(actionSources).nullish(),
    click_ids: ClickIds.nullish(),
    visitor_id: z.string().trim().min(1).max(200).nullish(),
    campaign_id: PlatformId.nullish(),
    ad_set_id: PlatformId.nullish(),
    ad_id: PlatformId.nullish(),
  })
  .superRefine(({ event_type, event_name }, context) => {
    if (event_type || event_name) return
    context.addIssue({ code: 'custom', path: ['event_type'], message: 'is required' })
  })
export type SentEvent = z.output<typeof SentEvent>

export interface EventContext {
  profile: { id: string; reportingCurrency: string }
  receivedAt: number
  vault: Vault
  onRefused?: OnRefused
}

export async function toServerEvent(sent: SentEvent, context: EventContext): Promise<ServerEvent> {
  const { profile, receivedAt, vault, onRefused } = context
  const money = moneyOf(sent, profile.reportingCurrency)
  if (money.amount_minor && !sent.idempotency_key) {
    throw invalid('idempotency_key', 'is required for an event that carries money, so that a retry is no second one')
  }
  const occurred = correctTime(sent.occurred_at ?? receivedAt, receivedAt)
  if (!occurred.ok) throw failed('occurred_at', 'must not be older than two years')
  const subjectRef = subjectRefOf(sent.properties?.subject_ref)
  const [{ identifiers, traits }, subjectRefToken] = await Promise.all([
    sealPerson(vault, profile.id, sent.user_traits, onRefused),
    subjectRef === null ? null : subjectToken(vault, profile.id, subjectRef),
  ])
  return {
    profile_id: profile.id,
    outcome_event_id: sent.idempotency_key ? ids.serverEvent(profile.id, sent.idempotency_key) : randomUUID(),
    event_type: sent.event_type ?? cleanText(sent.event_name ?? '', 100),
    event_name: sent.event_name ? withoutPerson(sent.event_name, 200) : null,
    occurred_at: occurred.value.time,
    received_at: receivedAt,
    is_clamped: occurred.value.isClamped,
    ...money,
    action_source: sent.action_source ?? null,
    click_ids: knownClickIds(sent.click_ids ?? {}),
    campaign_ref: sent.campaign_id ?? null,
    ad_set_ref: sent.ad_set_id ?? null,
    ad_ref: sent.ad_id ?? null,
    visitor_id: sent.visitor_id ? ids.visitor(profile.id, sent.visitor_id) : null,
    subject_ref_token: subjectRefToken,
    country: countryOf(sent.user_traits?.country),
    identifiers,
    traits,
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
function subjectRefOf(sent: unknown): string | null {
  if (sent === undefined || sent === null) return null
  if (typeof sent !== 'string') throw invalid('properties.subject_ref', subjectRefMessages.shape)
  const checked = checkSubjectRef(sent)
  if (!checked.ok) throw invalid('properties.subject_ref', subjectRefMessages[checked.reason])
  return checked.value
}

const countryOf = (country: string | null | undefined) => {
  const code = country?.trim().toUpperCase()
  return code && /^[A-Z]{2}$/.test(code) ? code : null
}

const invalid = (field: string, message: string) =>
  new ApiError('invalid_parameter', `${field}: ${message}`, { fields: [{ field, message }] })
const failed = (field: string, message: string) =>
  new ApiError('validation_error', `${field}: ${message}`, { fields: [{ field, message }] })
