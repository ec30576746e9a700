/** What is known of an ad in a window: where it belongs, what it cost, what came of it. Money in the reporting currency. */
export interface AdEvidence {
  adExternalId: string
  channel: string
  format: string
  objective: string
  audienceWarmth: string
  geo: string
  placement: string
  /** Days of the window on which it was shown or cost something. */
  deliveryDays: number
  spend: number
  /** Whether all of it could be converted: nothing is worked out of a part. */
  isSpendWhole: boolean
  impressions: number
  clicks: number
  /** Credited by the service, under last touch. */
  outcomes: number
  cashOutcomes: number
  cashValue: number
  pipelineOutcomes: number
  pipelineValue: number
  messagingOutcomes: number
  /** As the platform reports; null when it reports nothing. */
  platformConversions: number | null
  platformValue: number | null
  conversations: number | null
  firstReplyRate: number | null
  engagementScore: number | null
  /** An experiment has shown that it causes what it is credited with. */
  isLiftValidated: boolean
}
