import { randomUUID } from 'node:crypto'
import type { openReadingApp } from '../reading-app.ts'

export const at = (text: string) => Date.parse(`2026-10-${text}Z`)
export const october = 'date_from=2026-10-01&date_to=2026-10-31'

/** Two campaigns, one that opens the journey and one that closes it, and a sale of somebody who never clicked. */
export async function openBusiness(api: Awaited<ReturnType<typeof openReadingApp>>) {
  const profile = await api.profile()
  const { world } = profile
  const spring = await world.ad('111', {
    spend_minor: 5_000,
    impressions: 1_000,
    clicks: 20,
    reach: 900,
    status: 'PAUSED',
    ad_set_status: 'WITH_ISSUES',
    campaign_status: 'ACTIVE',
    objective: 'OUTCOME_SALES',
    daily_budget_minor: 2_000,
    campaign_daily_budget_minor: 5_000,
    learning_stage_status: 'LEARNING',
    messaging_conversations_started_7d: 3,
  })
  const autumn = await world.ad('222', {
    platform: 'google',
    spend_minor: 2_500,
    campaign_external_id: 'c2',
    campaign_name: 'Autumn',
    ad_set_external_id: 's2',
    ad_set_name: 'Set 2',
  })
  const buyer = randomUUID()
  await world.hit(buyer, at('02T00:00:00'), { ad: '111' })
  await world.hit(buyer, at('03T00:00:00'), { ad: '222' })
  const sale = await world.outcome(buyer, at('04T00:00:00'), { amount: 10_001 })
  const lead = await world.outcome(buyer, at('05T00:00:00'), { type: 'lead_created', amount: 0 })
  const stranger = await world.outcome(randomUUID(), at('06T00:00:00'), { amount: 700 })
  await world.recompute()
  return { ...profile, spring, autumn, buyer, sale, lead, stranger }
}
