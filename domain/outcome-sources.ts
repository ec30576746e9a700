/** Who tells of an event: a browser, a server, a CRM or a payment provider. */
export const outcomeSources = ['tracker', 'server', 'crm', 'payment'] as const
export type OutcomeSource = (typeof outcomeSources)[number]
