import type { AdEvidence } from '../../../domain/performers/evidence.ts'

/** An ad about which nothing is known but what is said. */
export const ad = (adExternalId: string, parts: Partial<AdEvidence> = {}): AdEvidence => ({
  adExternalId,
  channel: 'meta',
  format: 'static',
  objective: 'sales',
  audienceWarmth: 'cold',
  geo: 'cl',
  placement: 'feed',
  deliveryDays: 0,
  spend: 0,
  isSpendWhole: true,
  impressions: 0,
  clicks: 0,
  outcomes: 0,
  cashOutcomes: 0,
  cashValue: 0,
  pipelineOutcomes: 0,
  pipelineValue: 0,
  messagingOutcomes: 0,
  platformConversions: null,
  platformValue: null,
  conversations: null,
  firstReplyRate: null,
  engagementScore: null,
  isLiftValidated: false,
  ...parts,
})

export const several = (n: number, prefix: string, parts: Partial<AdEvidence> = {}) =>
  Array.from({ length: n }, (_, at) => ad(`${prefix}${at}`, parts))
