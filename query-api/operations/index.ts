import { comparePlatforms } from './campaigns/compare-platforms.ts'
import { listCampaigns } from './campaigns/list-campaigns.ts'
import { listConversions } from './campaigns/list-conversions.ts'
import { listTopPerformers } from './campaigns/list-top-performers.ts'
import { readAd } from './campaigns/read-ad.ts'
import { readTrend } from './campaigns/read-trend.ts'
import { readUnattributed } from './campaigns/read-unattributed.ts'
import { readConversionJourney } from './conversions/read-conversion-journey.ts'
import { eraseCustomer } from './customers/erase-customer.ts'
import { listCustomers } from './customers/list-customers.ts'
import { readErasure } from './customers/read-erasure.ts'
import { readJourney } from './customers/read-journey.ts'
import { readJourneyByKey } from './customers/read-journey-by-key.ts'
import { createGoal } from './goals/create-goal.ts'
import { listGoalDefinitions } from './goals/list-definitions.ts'
import { listGoals } from './goals/list-goals.ts'
import { readGoalDefinition } from './goals/read-definition.ts'
import { saveGoalDefinition } from './goals/save-definition.ts'
import { assignPayer } from './payments/assign-payer.ts'
import { listPaymentActions } from './payments/list-payment-actions.ts'
import { listPayments } from './payments/list-payments.ts'
import { markInstallment } from './payments/mark-installment.ts'
import { readPayment } from './payments/read-payment.ts'
import { recordRefund } from './payments/record-refund.ts'
import { undoRefund } from './payments/undo-refund.ts'
import { readReplayStatus } from './tracking/read-replay-status.ts'
import { issueTrackingKey } from './tracking-keys/issue-tracking-key.ts'
import { listTrackingKeys } from './tracking-keys/list-tracking-keys.ts'
import { revokeTrackingKey } from './tracking-keys/revoke-tracking-key.ts'
import { listPiiAccessLog } from './workspaces/list-pii-access-log.ts'

/** Every operation of this folder; the description lists them in this order. */
export const operations = [
  listCampaigns,
  readUnattributed,
  readTrend,
  listConversions,
  comparePlatforms,
  readAd,
  listTopPerformers,
  listCustomers,
  readJourney,
  listGoals,
  createGoal,
  listGoalDefinitions,
  saveGoalDefinition,
  readGoalDefinition,
  readConversionJourney,
  issueTrackingKey,
  listTrackingKeys,
  revokeTrackingKey,
  readReplayStatus,
  listPiiAccessLog,
  listPayments,
  readPayment,
  listPaymentActions,
  markInstallment,
  assignPayer,
  recordRefund,
  undoRefund,
]

/** Those that name customers by their identifiers, and so need the vault. */
export const identityOperations = [eraseCustomer, readErasure]

/** Those that tell of single customers. */
export const customerOperations = [readJourneyByKey]
