import { z } from 'zod'
import { knownClickIds } from '../../domain/click.ts'
import { ids } from '../../domain/ids.ts'
import { opportunity } from '../../domain/pipeline-stages.ts'
import type { CrmOutcome } from '../../schemas/messages.ts'
import { Amount, ClickIds, Currency, EventType, id, impersonal, label, minorOf, PlatformId, Time } from '../fields.ts'
import { sealPerson } from '../person.ts'
import { Contact, type ImportContext, occurredAt, Provider, personOf } from './row.ts'

const stageText = impersonal(label(200))
const stageId = impersonal(id(200))

/** Where a deal stands: by name alone, or by the CRM's own id, with its name and pipeline. */
const Stage = z
  .union([stageText, z.object({ id: stageId, name: stageText.nullish(), pipeline: stageText.nullish() })], {
    error: 'must be the name of a stage, or an object with its id, name and pipeline',
  })
  .transform((stage) =>
    typeof stage === 'string'
      ? { pipeline: '', id: stage, name: stage }
      : { pipeline: stage.pipeline ?? '', id: stage.id, name: stage.name ?? stage.id },
  )

/** What happened to a lead or a deal. A later row with the same provider and external_id replaces it. */
export const CrmOutcomeRow = z
  .object({
    provider: Provider,
    external_id: impersonal(id(200)),
    outcome_type: EventType.nullish(),
    stage: Stage.nullish(),
    occurred_at: Time,
    value: Amount.nullish(),
    currency: Currency.nullish(),
    contact: Contact.nullish(),
    ad_external_id: PlatformId.nullish(),
    click_ids: ClickIds.nullish(),
  })
  .transform((row, context) => {
    if (row.outcome_type == null && row.stage == null) {
      context.addIssue({
        code: 'custom',
        path: ['outcome_type'],
        message: 'is required, or the stage that a deal is in',
      })
      return z.NEVER
    }
    return { ...row, outcome_type: row.outcome_type ?? opportunity, stage: row.stage ?? null }
  })
  .transform((row, context) => {
    if (row.value == null) return { ...row, amount_minor: null, currency: null }
    if (!row.currency) {
      context.addIssue({ code: 'custom', path: ['currency'], message: 'is required beside a value' })
      return z.NEVER
    }
    return { ...row, amount_minor: minorOf(context, ['value'], row.value, row.currency), currency: row.currency }
  })
export type CrmOutcomeRow = z.output<typeof CrmOutcomeRow>

export async function toCrmOutcome(row: CrmOutcomeRow, context: ImportContext): Promise<CrmOutcome> {
  const { profileId, receivedAt, vault, onRefused } = context
  const time = occurredAt(row.occurred_at, receivedAt)
  const person = personOf(row.contact, row.provider, 'crm_contact_id')
  return {
    profile_id: profileId,
    outcome_event_id: ids.crmOutcome(profileId, row.provider, row.external_id),
    provider: row.provider,
    external_id: row.external_id,
    outcome_type: row.outcome_type,
    stage: row.stage,
    ...time,
    received_at: receivedAt,
    amount_minor: row.amount_minor,
    currency: row.currency,
    ad_ref: row.ad_external_id ?? null,
    click_ids: knownClickIds(row.click_ids ?? {}),
    ...(await sealPerson(vault, profileId, person, onRefused)),
  }
}
