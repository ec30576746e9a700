import type { AdEvidence } from './evidence.ts'

export const maturityStages = ['cold', 'early', 'mature', 'calibrated'] as const
export type MaturityStage = (typeof maturityStages)[number]

export const truthGrades = ['predicted', 'attributed', 'lift'] as const
export type TruthGrade = (typeof truthGrades)[number]

export const outcomeKinds = ['cash', 'pipeline', 'messaging', 'meta', 'none'] as const
export type OutcomeKind = (typeof outcomeKinds)[number]

const maturityRules = {
  early: { impressions: 1_000 },
  mature: { deliveryDays: 3, impressions: 10_000, outcomes: 10 },
  calibrated: { deliveryDays: 7, outcomes: 50 },
} as const

type Evidence = Pick<AdEvidence, 'impressions' | 'outcomes' | 'deliveryDays'>

/**
 * How much the window knows of an ad. A function of the window's evidence alone: an ad moves on as evidence comes, and
 * back as it leaves the window.
 */
export function maturityStage({ impressions, outcomes, deliveryDays }: Evidence): MaturityStage {
  const { early, mature, calibrated } = maturityRules
  if (outcomes >= calibrated.outcomes && deliveryDays >= calibrated.deliveryDays) return 'calibrated'
  const hasRun = impressions >= mature.impressions && deliveryDays >= mature.deliveryDays
  if (hasRun || outcomes >= mature.outcomes) return 'mature'
  return impressions >= early.impressions || outcomes > 0 ? 'early' : 'cold'
}

/** What the platform claims never sets the grade. */
export function truthGrade({
  isLiftValidated,
  outcomes,
}: Pick<AdEvidence, 'isLiftValidated' | 'outcomes'>): TruthGrade {
  if (isLiftValidated) return 'lift'
  return outcomes > 0 ? 'attributed' : 'predicted'
}

/** The strongest kind there is. */
export function primaryOutcomeKind(
  ad: Pick<AdEvidence, 'cashOutcomes' | 'pipelineOutcomes' | 'messagingOutcomes' | 'platformConversions'>,
): OutcomeKind {
  if (ad.cashOutcomes > 0) return 'cash'
  if (ad.pipelineOutcomes > 0) return 'pipeline'
  if (ad.messagingOutcomes > 0) return 'messaging'
  return (ad.platformConversions ?? 0) > 0 ? 'meta' : 'none'
}
