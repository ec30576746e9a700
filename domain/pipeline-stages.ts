import type { StageSource } from '../schemas/messages.ts'

/** A closed deal is recorded whatever its stage (SPEC 4.3). */
export const closedDeals = ['closed_won', 'closed_lost', 'closed_abandoned', 'won', 'lost', 'abandoned'] as const

/** Keys of a stage that counts as nothing: not decided yet, and decided so. */
export const uncounted = ['unmapped', 'ignored'] as const

/** What a deal is called that only says where it stands. */
export const opportunity = 'opportunity'

interface NamedStage {
  name: string
  /** When the newest deal that names it so happened, epoch milliseconds. */
  namedAt: number
}

export interface StageMeaning extends NamedStage {
  eventKey: string
  source: StageSource
}

/** Whether a deal names its stage later than another; at the same time the name decides, whichever came first. */
export const isNewerName = (one: NamedStage, other: NamedStage | undefined): boolean =>
  !other || one.namedAt > other.namedAt || (one.namedAt === other.namedAt && one.name > other.name)

/**
 * What a stage means after a deal has been seen in it; the standing meaning itself when nothing changes. The newest name
 * holds: which message comes first does not matter. What a user decided stays.
 */
export function observeStage(standing: StageMeaning | undefined, { name, namedAt }: NamedStage): StageMeaning {
  if (standing && !isNewerName({ name, namedAt }, standing)) return standing
  if (standing?.source === 'user') return { ...standing, name, namedAt }
  const suggested = suggestOutcome(name)
  return suggested
    ? { name, namedAt, eventKey: suggested, source: 'suggested' }
    : { name, namedAt, eventKey: 'unmapped', source: 'engine_default' }
}

/** Event types that a stage can be mapped to: those of the profile's definitions but cash, which only a payment is. */
export const stageOutcomes = (
  definitions: readonly { eventTypes: readonly string[]; revenueType: string }[],
): string[] => definitions.filter(({ revenueType }) => revenueType !== 'cash').flatMap(({ eventTypes }) => eventTypes)

/** Words of a name that say that it has not happened, or never will. */
const notSo =
  /(^| )(lost|perdid|abandon|cancel|no show|noshow|no asisti|no interes|not |sin |un\w*qualif|descalific|descart|discard|disqualif|rechaz|reject|por |pendiente|pending|to |need|spam|archiv)/

/** Beginnings of words, in Spanish and English; the step nearest to the sale is looked for first. */
const suggestions: [RegExp, string][] = [
  [/(^| )(won|ganad|venta cerrada|vendid|sold|cierre ganado|matriculad)/, 'closed_won'],
  [/(^| )(quot|cotiza|propuesta|proposal|presupuest|estimate|offer|oferta)/, 'quote_sent'],
  [
    /(^| )(appointment|agend|cita|citad|booked|booking|scheduled|meeting|reunion|reserva|demo|visita|hora tomada|evaluacion)/,
    'appointment_booked',
  ],
  [/(^| )(lead|new|nuev|prospect|inquir|enquir|consulta|interesad|interested|solicitud)/, 'lead_created'],
]

/** What a deal in a stage of this name most likely is; nothing when the name does not tell. */
export function suggestOutcome(name: string): string | undefined {
  const words = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
  if (notSo.test(words)) return undefined
  return suggestions.find(([beginnings]) => beginnings.test(words))?.[1]
}
