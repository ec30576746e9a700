import { comparePlatforms } from './campaigns/compare-platforms.ts'
import { listCampaigns } from './campaigns/list-campaigns.ts'
import { listConversions } from './campaigns/list-conversions.ts'
import { listTopPerformers } from './campaigns/list-top-performers.ts'
import { readAd } from './campaigns/read-ad.ts'
import { readTrend } from './campaigns/read-trend.ts'
import { readUnattributed } from './campaigns/read-unattributed.ts'
import { readConversionJourney } from './conversions/read-conversion-journey.ts'
import { eraseCustomer } from './customers/erase-customer.ts'
import { generateJourneySummary } from './customers/generate-journey-summary.ts'
import { importCustomers } from './customers/import-customers.ts'
import { listCustomers } from './customers/list-customers.ts'
import { mintLinkTokens } from './customers/mint-link-tokens.ts'
import { readErasure } from './customers/read-erasure.ts'
import { readJourney } from './customers/read-journey.ts'
import { readJourneyByKey } from './customers/read-journey-by-key.ts'
import { readJourneySummary } from './customers/read-journey-summary.ts'
import { searchCustomers } from './customers/search-customers.ts'
import { createGoal } from './goals/create-goal.ts'
import { listGoalDefinitions } from './goals/list-definitions.ts'
import { listGoals } from './goals/list-goals.ts'
import { readGoalDefinition } from './goals/read-definition.ts'
import { saveGoalDefinition } from './goals/save-definition.ts'
import { grantApp } from './grants/grant-app.ts'
import { listGrants } from './grants/list-grants.ts'
import { revokeGrant } from './grants/revoke-grant.ts'
import { createHook } from './hooks/create-hook.ts'
import { listHookDeliveries } from './hooks/list-deliveries.ts'
import { listHooks } from './hooks/list-hooks.ts'
import { revokeHook } from './hooks/revoke-hook.ts'
import { rotateHook } from './hooks/rotate-hook.ts'
import { acceptInvitation } from './invitations/accept-invitation.ts'
import { inviteMember } from './invitations/invite-member.ts'
import { listInvitations } from './invitations/list-invitations.ts'
import { revokeInvitation } from './invitations/revoke-invitation.ts'
import { listKeys } from './keys/list-keys.ts'
import { mintKey } from './keys/mint-key.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { rotateKey } from './keys/rotate-key.ts'
import { assignPayer } from './payments/assign-payer.ts'
import { listPaymentActions } from './payments/list-payment-actions.ts'
import { listPayments } from './payments/list-payments.ts'
import { markInstallment } from './payments/mark-installment.ts'
import { readPayment } from './payments/read-payment.ts'
import { recordRefund } from './payments/record-refund.ts'
import { undoRefund } from './payments/undo-refund.ts'
import { archiveProfile } from './profiles/archive-profile.ts'
import { createProfile } from './profiles/create-profile.ts'
import { deleteProfile } from './profiles/delete-profile.ts'
import { listProfiles } from './profiles/list-profiles.ts'
import { readProfile } from './profiles/read-profile.ts'
import { restoreProfile } from './profiles/restore-profile.ts'
import { setEntitlement } from './profiles/set-entitlement.ts'
import { updateProfile } from './profiles/update-profile.ts'
import { changePassword } from './session/change-password.ts'
import { listMcpTokens } from './session/list-mcp-tokens.ts'
import { mintMcpToken } from './session/mint-mcp-token.ts'
import { readSession } from './session/read-session.ts'
import { revokeMcpToken } from './session/revoke-mcp-token.ts'
import { signIn } from './session/sign-in.ts'
import { signOut } from './session/sign-out.ts'
import { readReplayStatus } from './tracking/read-replay-status.ts'
import { issueTrackingKey } from './tracking-keys/issue-tracking-key.ts'
import { listTrackingKeys } from './tracking-keys/list-tracking-keys.ts'
import { revokeTrackingKey } from './tracking-keys/revoke-tracking-key.ts'
import { archiveWorkspace } from './workspaces/archive-workspace.ts'
import { changeMember } from './workspaces/change-member.ts'
import { createWorkspace } from './workspaces/create-workspace.ts'
import { eraseCustomerInWorkspace } from './workspaces/erase-customer-in-workspace.ts'
import { listMembers } from './workspaces/list-members.ts'
import { listPiiAccessLog } from './workspaces/list-pii-access-log.ts'
import { listWorkspaces } from './workspaces/list-workspaces.ts'
import { readWorkspace } from './workspaces/read-workspace.ts'
import { removeMember } from './workspaces/remove-member.ts'
import { updateWorkspace } from './workspaces/update-workspace.ts'

/** Those that need no more than Postgres and the warehouse; the description lists them in this order. */
export const operations = [
  listCampaigns,
  readUnattributed,
  readTrend,
  listConversions,
  comparePlatforms,
  readAd,
  listTopPerformers,
  listCustomers,
  searchCustomers,
  readJourney,
  readJourneySummary,
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
  createWorkspace,
  listWorkspaces,
  readWorkspace,
  updateWorkspace,
  archiveWorkspace,
  listMembers,
  changeMember,
  removeMember,
  inviteMember,
  listInvitations,
  revokeInvitation,
  createProfile,
  listProfiles,
  readProfile,
  updateProfile,
  archiveProfile,
  restoreProfile,
  deleteProfile,
  setEntitlement,
  listGrants,
  grantApp,
  revokeGrant,
  mintKey,
  listKeys,
  rotateKey,
  revokeKey,
]

/** Those that name customers by their identifiers, and so need the vault. */
export const identityOperations = [
  importCustomers,
  mintLinkTokens,
  eraseCustomer,
  readErasure,
  eraseCustomerInWorkspace,
]

/** Those that tell of single customers. */
export const customerOperations = [readJourneyByKey, generateJourneySummary]

/** People's own sign-in, and what can be done before it. */
export const sessionOperations = [
  signIn,
  readSession,
  signOut,
  changePassword,
  mintMcpToken,
  listMcpTokens,
  revokeMcpToken,
  acceptInvitation,
]

/** Those that manage where providers notify us, and so need the seals of their secrets. */
export const hookOperations = [listHooks, createHook, rotateHook, revokeHook, listHookDeliveries]
