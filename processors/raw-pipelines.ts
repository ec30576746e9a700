import { adDeliveryPipeline } from './ad-delivery.ts'
import type { FactDeps } from './facts/deps.ts'
import { fxRatesPipeline } from './fx-rates.ts'
import { identityPipeline } from './identity-sightings.ts'
import { crmOutcomesPipeline, eventsPipeline, paymentsPipeline } from './outcomes.ts'
import { paymentActionsPipeline } from './payment-actions.ts'
import type { Pipeline } from './runner/pipeline.ts'
import { settingsPipeline } from './settings.ts'
import { visitsPipeline } from './visits.ts'

/** Every raw topic's pipeline: what live processing runs, and what a replay runs again into another generation. */
export const rawPipelines = (deps: FactDeps): Pipeline[] => [
  visitsPipeline(deps),
  eventsPipeline(deps),
  crmOutcomesPipeline(deps),
  paymentsPipeline(deps),
  adDeliveryPipeline(deps),
  settingsPipeline(deps),
  paymentActionsPipeline(deps),
  fxRatesPipeline(deps),
  identityPipeline(deps),
]
