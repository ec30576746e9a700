import type pg from 'pg'
import { ids } from '../../../domain/ids.ts'
import type { Producer } from '../../../infra/kafka/producer.ts'
import { importRows } from '../../../ingest/imports/import-rows.ts'
import { SentEvent, toServerEvent } from '../../../ingest/server-event.ts'
import { SentVisit, toVisitBatch } from '../../../ingest/visit-batch.ts'
import { transaction } from '../../../postgres/client.ts'
import { assignPayer, markInstallment, recordRefund } from '../../../postgres/stores/payment-actions.ts'
import { mapStage } from '../../../postgres/stores/pipeline-stages.ts'
import type { Vault } from '../../../postgres/stores/vault.ts'
import { topics } from '../../../schemas/topics.ts'
import type { Op } from './history.ts'

export interface TellDeps {
  producer: Producer
  vault: Vault
  postgres: pg.Pool
  /** Epoch milliseconds of a history's time 0. */
  origin: number
}

const browser = { device: 'desktop' as const, browser: 'Firefox', os: 'Linux', isBot: false }
const ads = { 'ad-1': ['c-1', 's-1'], 'ad-2': ['c-1', 's-2'], 'ad-3': ['c-2', 's-3'] } as const

/** Tells the service one thing, through the collectors' own code. */
export async function tell({ producer, vault, postgres, origin }: TellDeps, profileId: string, op: Op): Promise<void> {
  const profile = { id: profileId, reportingCurrency: 'USD' }
  const receivedAt = Date.now()
  const when = (at: number) => new Date(origin + at).toISOString()
  const rows = async (kind: 'ad-delivery' | 'crm-outcomes' | 'payments', row: object) => {
    const { bad } = await importRows(kind, profileId, [JSON.stringify(row)], { producer, vault })
    if (bad > 0) throw new Error(`a ${kind} row was refused`)
  }
  const act = async (
    work: (tx: pg.PoolClient, payment: { profileId: string; paymentId: string }) => Promise<unknown>,
    id: string,
  ) => {
    await transaction(postgres, (tx) => work(tx, { profileId, paymentId: ids.payment(profileId, 'stripe', id) }))
  }
  switch (op.kind) {
    case 'visit': {
      const url = `https://shop.example/${op.ad ? `?svc_ad_id=${op.ad}` : ''}`
      const event = { event_id: op.id, event_type: 'page_view', event_time: when(op.at), url, user_traits: op.who }
      const sent = SentVisit.parse({
        visitor_id: op.visitor,
        sent_at: new Date(receivedAt).toISOString(),
        events: [event],
      })
      const place = { country: null, city: null }
      return producer.send(topics.visits, [
        await toVisitBatch(sent, { profile, receivedAt, agent: browser, place, vault }),
      ])
    }
    case 'event': {
      const properties = { value: op.amount / 100, currency: 'USD', ...(op.ref && { subject_ref: op.ref }) }
      const sent = SentEvent.parse({
        event_type: op.type,
        idempotency_key: op.id,
        occurred_at: when(op.at),
        properties,
        user_traits: op.who,
      })
      return producer.send(topics.events, [await toServerEvent(sent, { profile, receivedAt, vault })])
    }
    case 'payment':
      return rows('payments', {
        provider: 'stripe',
        external_id: op.id,
        occurred_at: when(op.at),
        amount: op.amount / 100,
        currency: 'USD',
        refunded_amount: Math.min(op.refunded, op.amount) / 100,
        customer: op.who,
        subject_ref: op.ref,
      })
    case 'lead':
      return rows('crm-outcomes', {
        provider: 'hubspot',
        external_id: op.id,
        outcome_type: op.type,
        stage: op.stage,
        occurred_at: when(op.at),
        contact: op.who,
        ad_external_id: op.ad,
      })
    case 'delivery': {
      const [campaign, adSet] = ads[op.ad as keyof typeof ads]
      return rows('ad-delivery', {
        platform: 'meta',
        date: when(op.day * 86_400_000).slice(0, 10),
        currency: 'USD',
        campaign_external_id: campaign,
        campaign_name: `Campaign ${campaign}`,
        ad_set_external_id: adSet,
        ad_set_name: `Set ${adSet}`,
        ad_external_id: op.ad,
        ad_name: `Ad ${op.ad}`,
        spend: op.spend / 100,
      })
    }
    case 'stage': {
      const ref = { profileId, provider: 'hubspot', pipeline: '', stageId: op.stage }
      await transaction(postgres, (tx) => mapStage(tx, ref, op.eventKey))
      return
    }
    case 'mark':
      return act((tx, payment) => markInstallment(tx, payment, op.isInstallment), op.payment)
    case 'refund':
      return act((tx, payment) => recordRefund(tx, payment, op.amount, 'USD'), op.payment)
    case 'payer': {
      const [payer] = op.email ? await vault.tokens(profileId, [{ type: 'email', value: op.email }]) : []
      return act((tx, payment) => assignPayer(tx, payment, payer?.token ?? null), op.payment)
    }
  }
}
