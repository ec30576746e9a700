export interface CatalogueEntry {
  status: number
  meaning: string
  /** Whether the same request, sent again later, can succeed. */
  isRetryable: boolean
  fix: string
}

const entry = (status: number, isRetryable: boolean, meaning: string, fix: string): CatalogueEntry => ({
  status,
  meaning,
  isRetryable,
  fix,
})

const again = true
const never = false

/** Every error that the API can answer with: one row a code, and each row is a page under /docs/errors. */
export const catalogue = {
  // Access
  unauthorized: entry(
    401,
    never,
    'The request carries no credential, or one that is not valid (any more).',
    'Send a live credential in the Authorization header: "Bearer" and the key.',
  ),
  forbidden: entry(
    403,
    never,
    'The credential is valid, but its holder may not do this.',
    'Ask somebody whose role allows it, or use another credential.',
  ),
  insufficient_scope: entry(
    403,
    never,
    'The credential lacks the scope that this operation asks for.',
    'Use a credential that holds one of the scopes in required_scopes.',
  ),
  api_key_required: entry(
    403,
    never,
    'This operation is open to API keys only.',
    'Call it with the API key of a partner app, not with a session or a user token.',
  ),
  healthcare_scope_forbidden: entry(
    403,
    never,
    'Partners never get person-level reads on a healthcare profile.',
    'Ask for the analytics bundle and read projected journeys with conversions:read.',
  ),
  entitlement_required: entry(
    409,
    never,
    'The app that provisioned this profile has not switched attribution on for it.',
    'That app enables the atribu_attribution entitlement of the profile first.',
  ),
  app_provisioned_workspace: entry(
    403,
    never,
    'A partner app owns this workspace, so the service never e-mails its people.',
    'Let the partner app contact them; no other credential changes the answer.',
  ),
  plan_upgrade_required: entry(
    402,
    never,
    'The plan of the workspace does not include this administrative change.',
    'Move the workspace to a larger plan, then try again.',
  ),
  profile_limit_reached: entry(
    403,
    never,
    'The workspace already has as many active profiles as its plan allows.',
    'Archive a profile, or take the plan named in upgrade.',
  ),
  rate_limit_exceeded: entry(
    429,
    again,
    'Too many requests in a short time.',
    'Wait for the number of seconds in Retry-After.',
  ),

  // The request itself
  invalid_request: entry(
    400,
    never,
    'The request could not be read: broken JSON, another content type, an unexpected shape.',
    'Send one JSON object as application/json, with a method that the path knows.',
  ),
  invalid_parameter: entry(
    400,
    never,
    'A query parameter or a part of the path is not acceptable.',
    'Correct the parameter that the message names.',
  ),
  validation_error: entry(
    422,
    never,
    'The body is JSON, but a field in it breaks its rule.',
    'Correct the field that the message names.',
  ),
  invalid_content: entry(
    400,
    never,
    'What was uploaded cannot be used, for instance an empty file or an unexpected part.',
    'Check the content and upload it again.',
  ),
  invalid_date_range: entry(
    400,
    never,
    'The range of days is not usable.',
    'Send date_from and date_to as real days (YYYY-MM-DD), in order, at most 366 days in all.',
  ),
  invalid_window: entry(
    400,
    never,
    'The time window for reading events is longer than 90 days.',
    'Ask for 90 days or less at a time.',
  ),
  payload_too_large: entry(
    413,
    never,
    'The body or the file is larger than this operation takes.',
    'Send less at a time: images up to 5 MB, video and audio 16 MB, documents 100 MB, JSON as the operation says.',
  ),
  idempotency_key_conflict: entry(
    409,
    never,
    'This Idempotency-Key already belongs to a different request.',
    'Use a fresh key for a new request; repeat a request with an unchanged body.',
  ),
  idempotency_key_in_flight: entry(
    409,
    again,
    'The first request with this Idempotency-Key is still running.',
    'Repeat with the same key after a pause; for 24 hours it answers with the first result.',
  ),
  invalid_state: entry(
    409,
    never,
    'The thing exists, but not in a state in which this is possible.',
    'Read it again and decide from its present state.',
  ),

  // Things that are not there
  not_found: entry(
    404,
    never,
    'There is no such thing, or this credential cannot see it; also a path that is not served here.',
    'Check the path and the id.',
  ),
  customer_not_found: entry(
    404,
    never,
    'No customer of this profile fits the selector.',
    'Check the selector; customers of other profiles are never found.',
  ),
  conversion_not_found: entry(
    404,
    never,
    'This profile has no conversion with that id.',
    'Use a conversion_id that this profile listed.',
  ),
  erasure_not_found: entry(
    404,
    never,
    'This profile has no erasure receipt with that id.',
    'Use the erasure_id from the answer to the erasure.',
  ),
  campaign_not_found: entry(
    404,
    never,
    'This profile has no campaign with that platform id.',
    'Use an id from the campaign list of this profile.',
  ),
  media_expired: entry(
    410,
    never,
    'The media is no longer kept; media that came with a message is served for 7 days.',
    'Ask the sender for it again.',
  ),
  workspace_archived: entry(
    410,
    never,
    'The workspace behind this invitation has been archived for good.',
    'Ask for an invitation to another workspace.',
  ),

  // The service and its providers
  internal_error: entry(
    500,
    again,
    'Something went wrong on our side.',
    'Try again; if it stays, report the request_id.',
  ),
  service_unavailable: entry(
    503,
    again,
    'Something that this operation needs is down or not set up.',
    'Wait for the number of seconds in Retry-After, then try again.',
  ),
  not_implemented: entry(
    501,
    never,
    'This deployment, or this provider, cannot do that.',
    'Use another provider or another deployment.',
  ),
  link_tokens_disabled: entry(
    503,
    never,
    'Link tokens are switched off on this deployment.',
    'Ask the operator to switch them on; trying again does not help.',
  ),
  audit_timeout: entry(
    504,
    again,
    'The scan of URL tags took longer than it may.',
    'Read the stored summary, or start the scan again later.',
  ),
  provider_error: entry(
    502,
    again,
    'The provider behind this operation failed or refused.',
    'Try again later when the status is 502 or 503; with 422 the same request fails again.',
  ),
  provider_not_configured: entry(
    501,
    never,
    'This deployment has no registration with that calendar provider.',
    'Ask the operator to register one.',
  ),
  connection_not_ready: entry(
    409,
    never,
    'The connection exists but cannot be used, for instance for want of a token.',
    'Connect the account again.',
  ),
  account_connected_elsewhere: entry(
    409,
    never,
    'Another profile of the same workspace already uses that account. Nothing was changed.',
    'Disconnect it there first, or choose another account.',
  ),
  meta_connection_required: entry(
    409,
    never,
    'The operation needs an ad-platform connection that works, and there is none.',
    'Connect the ad account first.',
  ),
  meta_write_permission_missing: entry(
    403,
    never,
    'The ad connection was granted for reading only.',
    'Let the advertiser connect again and accept the permission to manage ads.',
  ),
  audience_tos_required: entry(
    428,
    never,
    "The ad account has not accepted the platform's terms for custom audiences.",
    'Let the advertiser accept them, then confirm again.',
  ),

  // Mail and calendars
  account_suspended: entry(
    403,
    never,
    'The provider has suspended the mailbox.',
    "Sort it out with the provider; the first mail that is accepted clears the connection's mark.",
  ),
  auth_revoked: entry(
    403,
    never,
    'The permission to use the mailbox was withdrawn, ran out, or does not cover sending.',
    'Connect the mailbox again.',
  ),
  mailbox_disabled: entry(
    403,
    never,
    'There is no mailbox behind the account, or mail is off for it.',
    'Enable mail with the provider before sending again.',
  ),
  quota_exceeded: entry(
    429,
    again,
    "The mailbox is full or has reached its provider's daily limit.",
    'Wait for the number of seconds in Retry-After.',
  ),
  recipient_rejected: entry(
    422,
    never,
    'The provider does not deliver to this recipient. Other messages are not affected.',
    'Correct the recipient.',
  ),
  calendar_scope_required: entry(
    403,
    never,
    'The calendar was connected without the permission that this needs.',
    'Connect the calendar again with that permission.',
  ),
  calendar_unsupported: entry(
    422,
    never,
    'The service does not manage that calendar.',
    'Use the id of a calendar that the service lists.',
  ),

  // Messaging
  chatapp_register_limit: entry(
    429,
    never,
    'A messaging number can be registered ten times in 72 hours, and that is used up.',
    'Wait until the 72 hours are over.',
  ),
  chatapp_payment_required: entry(
    402,
    never,
    'The messaging business account has no way to pay, or its payment failed.',
    'Add a payment method with the messaging platform.',
  ),
  chatapp_otp_relay_unavailable: entry(
    503,
    again,
    'The store that relays one-time codes cannot be reached.',
    'Try again after a pause.',
  ),
  chatapp_service_window_expired: entry(
    422,
    never,
    'More than 24 hours have passed since the customer last wrote.',
    'Send a template or an interactive message instead.',
  ),
  messaging_window_closed: entry(
    422,
    never,
    'The time to answer is over: 24 hours, or 7 days for a human agent. Nothing was sent.',
    'Wait for the person to write again, or set human_agent when a human answers.',
  ),

  // Passwords
  weak_password: entry(422, never, 'The new password is too short.', 'Choose a longer one.'),
  compromised_password: entry(
    422,
    never,
    'The new password appears in known breaches.',
    'Choose one that is used nowhere else.',
  ),
  current_password_required: entry(
    400,
    never,
    'The change needs the present password, and it was left out.',
    'Send the present password too.',
  ),
  current_password_invalid: entry(
    400,
    never,
    'The present password is wrong.',
    'Send the right one, or reset the password.',
  ),

  // Ads
  campaign_not_pausable: entry(
    409,
    never,
    'An archived or deleted campaign cannot be paused. Nothing was written.',
    'Choose a campaign that is active.',
  ),
  campaign_not_resumable: entry(
    409,
    never,
    'An archived or deleted campaign cannot be resumed. Nothing was written.',
    'Choose a campaign that is paused.',
  ),
  adset_not_editable: entry(
    409,
    never,
    'The ad set, or its campaign, is archived or deleted.',
    'Choose an ad set that still exists on the platform.',
  ),
  budget_change_out_of_bounds: entry(
    422,
    never,
    'A step changes the daily budget by half of it at most, and never to less than 100 minor units.',
    'Take a smaller step.',
  ),
  clean_dataset_has_live_ad_sets: entry(
    409,
    never,
    'Ad sets still deliver on the clean dataset and would lose their signal.',
    'Move or pause them, or send confirm_live_ad_sets: true.',
  ),
  consent_required: entry(
    409,
    never,
    'Duplicate-and-swap needs a consent to the present text, given in the last 24 hours. Nothing was sent.',
    'Show the text named in consent and send who accepted it, when, and its hash.',
  ),
  platform_safe_required: entry(
    409,
    never,
    'The profile is not in the platform_safe mode that this needs.',
    'Set privacy_mode to platform_safe in the conversion-sync catalogue first.',
  ),
  unknown_ad: entry(
    422,
    never,
    'That ad is not one of the profile: neither synced nor in its spend. Nothing was written.',
    'Use an ad_id that the profile lists.',
  ),
  demo_purge_blocked: entry(
    409,
    never,
    'Audit evidence is attached to the archived demo profile, so it stays.',
    'Nothing to do: trying again changes nothing.',
  ),

  // Payments and customers
  customer_not_in_profile: entry(
    422,
    never,
    'That customer is not an active one of this profile: of another profile, or merged into somebody.',
    'Use the id of the customer that survived the merge, in this profile.',
  ),
  amount_invalid: entry(
    422,
    never,
    'A refund must be above zero and at most what is left of the payment.',
    'Send an amount within what remains.',
  ),
  manual_refund_exists: entry(
    422,
    never,
    'The payment already has a manual refund.',
    'Remove or keep the one there is.',
  ),
  payment_assignment_incomplete: entry(
    502,
    again,
    'The payer was recorded, but not every store knows yet.',
    'Send the same request again.',
  ),
  payment_ref_invalid: entry(
    422,
    never,
    'The reference to the payment has the wrong form.',
    'Use the reference that the payment list gave.',
  ),
  status_invalid: entry(
    422,
    never,
    'The status filter knows two values: all and unidentified.',
    'Send one of the two.',
  ),
  range_invalid: entry(
    422,
    never,
    'The range of times is not usable.',
    'Send from and to as days or times, in order, at most 366 days in all.',
  ),
  unknown_answer_key: entry(
    422,
    never,
    'That answer is not in the list of declared sources.',
    'Send the answer key other, with the words in answer_text.',
  ),
  unknown_customer_ref: entry(
    422,
    never,
    'The reference names nobody, and no e-mail or phone came with it. Nothing was written.',
    'Send an e-mail or a phone number too.',
  ),
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue

export const errorCodes = Object.keys(catalogue) as ErrorCode[]
