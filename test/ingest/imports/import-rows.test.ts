import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ids } from '../../../domain/ids.ts'
import { connectProducer } from '../../../infra/kafka/producer.ts'
import { importRows } from '../../../ingest/imports/import-rows.ts'
import type { ImportKindName } from '../../../ingest/imports/kinds.ts'
import { tooLong } from '../../../ingest/imports/lines.ts'
import { topics } from '../../../schemas/topics.ts'
import { openWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const yesterday = Date.now() - 86_400_000

async function send(kind: ImportKindName, rows: unknown[]) {
  const bad: [number, string][] = []
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
  const summary = await importRows(kind, world.profile, lines, {
    producer: world.producer,
    vault: world.vault,
    onBadLine: (line, reason) => bad.push([line, reason]),
  })
  return { ...summary, lines: bad }
}

const delivery = (fields: object = {}) => ({
  platform: 'Meta',
  date: '2026-03-31',
  currency: 'clp',
  campaign_external_id: 1201,
  campaign_name: 'Spring',
  ad_set_external_id: '1202',
  ad_set_name: 'Lookalike',
  ad_external_id: '1203',
  ad_name: 'Video',
  ...fields,
})
const deal = (fields: object = {}) => ({
  provider: 'hubspot',
  external_id: 'd-1',
  outcome_type: 'closed_won',
  occurred_at: yesterday,
  ...fields,
})
const payment = (fields: object = {}) => ({
  provider: 'stripe',
  external_id: 'pi_1',
  occurred_at: new Date(yesterday).toISOString(),
  amount: '19.99',
  currency: 'USD',
  ...fields,
})

describe('a row becomes a message', () => {
  test('ad-delivery with all its fields', async () => {
    const labels = {
      status: 'ACTIVE',
      objective: 'LEADS',
      learning_stage_status: 'SUCCESS',
      ad_set_status: 'PAUSED',
      campaign_status: 'ACTIVE',
      creative_thumbnail_url: 'https://cdn.example/t.jpg',
      video_id: '55',
      creative_format: 'video',
      hook_type: 'question',
      cta_type: 'BOOK',
      primary_angle: 'price',
      offers: ['2x1'],
      audience_warmth: 'cold',
      geo: 'CL',
      placement: 'feed',
    }
    const counts = {
      impressions: 1000,
      clicks: 10,
      reach: 900,
      platform_conversions: 2.5,
      messaging_conversations_started_7d: 3,
      first_reply_rate: 0.5,
      avg_engagement_score: 7.25,
    }
    const money = { daily_budget: 5000, campaign_daily_budget: 9000, spend: 1234.5, platform_conversion_value: 99_000 }
    expect(await send('ad-delivery', [delivery({ ...labels, ...counts, ...money })])).toEqual({
      taken: 1,
      bad: 0,
      lines: [],
    })
    const [message] = await world.received(topics.adDelivery, 1)
    expect(message!.value).toEqual({
      profile_id: world.profile,
      platform: 'meta',
      date: Date.UTC(2026, 2, 31) / 86_400_000,
      currency: 'CLP',
      received_at: expect.any(Number),
      campaign_external_id: '1201',
      campaign_name: 'Spring',
      ad_set_external_id: '1202',
      ad_set_name: 'Lookalike',
      ad_external_id: '1203',
      ad_name: 'Video',
      ...labels,
      ...counts,
      daily_budget_minor: 5000,
      campaign_daily_budget_minor: 9000,
      spend_minor: 1235,
      platform_conversion_value_minor: 99_000,
    })
  })

  test('ad-delivery with all actions of the platform: the one that counts there is picked out, none are added up', async () => {
    const action = (action_type: string, count: number, value: number) => ({ action_type, count, value })
    const actions = [
      action('link_click', 40, 0),
      action('purchase', 3, 30_000),
      action('omni_purchase', 3, 31_000),
      action('offsite_conversion.fb_pixel_purchase', 2, 20_000),
    ]
    await send('ad-delivery', [
      delivery({ platform_actions: actions }),
      delivery({ platform_actions: actions, platform_conversions: 7 }),
      delivery({ platform_actions: actions.slice(0, 1) }),
    ])
    const received = await world.received(topics.adDelivery, 3)
    expect(received.map(({ value }) => value)).toMatchObject([
      { platform_conversions: 3, platform_conversion_value_minor: 31_000 },
      { platform_conversions: 7, platform_conversion_value_minor: null },
      { platform_conversions: null, platform_conversion_value_minor: null },
    ])
  })

  test('ad-delivery with nothing after ad_name', async () => {
    await send('ad-delivery', [delivery()])
    const [message] = await world.received(topics.adDelivery, 1)
    expect(message!.value).toMatchObject({ spend_minor: 0, impressions: 0, clicks: 0, reach: null, offers: [] })
  })

  test('crm-outcomes, the contact as tokens', async () => {
    const contact = {
      first_name: 'Ana',
      last_name: 'Pérez',
      email: 'ANA@example.com',
      phone: '+56987654321',
      external_id: 'C-7',
      provider_id: 42,
    }
    await send('crm-outcomes', [
      deal({ value: 100.5, currency: 'USD', contact, ad_external_id: '1203', click_ids: { gclid: 'G1', other: 'x' } }),
    ])
    const [message] = await world.received(topics.crmOutcomes, 1)
    const { value, bytes } = message!
    expect(value).toMatchObject({
      outcome_event_id: ids.crmOutcome(world.profile, 'hubspot', 'd-1'),
      provider: 'hubspot',
      external_id: 'd-1',
      outcome_type: 'closed_won',
      occurred_at: yesterday,
      amount_minor: 10_050,
      currency: 'USD',
      ad_ref: '1203',
      click_ids: { gclid: 'G1' },
    })
    expect(
      await Promise.all(value.identifiers.map(async (one) => [one.type, await world.reveal('value', one)])),
    ).toEqual([
      ['external_customer_id', 'C-7'],
      ['crm_contact_id', 'hubspot:42'],
      ['email', 'ana@example.com'],
      ['phone', '+56987654321'],
    ])
    expect(JSON.parse(await world.reveal('traits', value.traits!))).toEqual({ first_name: 'Ana', last_name: 'Pérez' })
    for (const personal of ['ana@', 'Ana', 'Pérez', '87654321']) expect(bytes.includes(personal), personal).toBe(false)
  })

  test.each([
    [{ stage: ' Propuesta enviada ' }, { pipeline: '', id: 'Propuesta enviada', name: 'Propuesta enviada' }],
    [{ stage: { id: 7, name: 'Propuesta', pipeline: 'Ventas' } }, { pipeline: 'Ventas', id: '7', name: 'Propuesta' }],
    [{ stage: { id: 's7' } }, { pipeline: '', id: 's7', name: 's7' }],
    [{}, null],
  ])('a deal with %j stands in %j', async (fields, stage) => {
    const outcomeType = stage ? undefined : 'closed_won'
    await send('crm-outcomes', [deal({ outcome_type: outcomeType, ...fields })])
    const [message] = await world.received(topics.crmOutcomes, 1)
    expect(message!.value).toMatchObject({ outcome_type: outcomeType ?? 'opportunity', stage })
  })

  test('payments, with what was refunded so far and who it is for', async () => {
    const customer = { email: 'ana@example.com', provider_id: 'cus_1' }
    await send('payments', [payment({ customer, refunded_amount: 5, subject_ref: 'pet-1' })])
    const [message] = await world.received(topics.payments, 1)
    expect(message!.value).toMatchObject({
      payment_id: ids.payment(world.profile, 'stripe', 'pi_1'),
      occurred_at: yesterday,
      amount_minor: 1999,
      refunded_minor: 500,
      currency: 'USD',
      subject_ref_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(message!.value.identifiers.map(({ type }) => type)).toEqual(['payments_customer_id', 'email'])
    expect(message!.bytes.includes('pet-1')).toBe(false)
  })

  test('rows of one natural key keep their order', async () => {
    await send('payments', [payment({ amount: 1 }), payment({ amount: 2 }), payment({ amount: 3 })])
    const messages = await world.received(topics.payments, 3)
    expect(messages.map(({ value }) => value.amount_minor)).toEqual([100, 200, 300])
    expect(new Set(messages.map(({ value }) => topics.payments.key(value))).size).toBe(1)
  })

  test('more rows than a batch all arrive', async () => {
    const rows = Array.from({ length: 1201 }, (_, n) =>
      payment({ external_id: `pi_${n}`, customer: { external_id: `c${n}` } }),
    )
    expect(await send('payments', rows)).toMatchObject({ taken: 1201, bad: 0 })
    const messages = await world.received(topics.payments, 1201)
    expect(new Set(messages.map(({ value }) => value.payment_id)).size).toBe(1201)
  })
})

describe('a bad line is named by its number and reason, without its values, and the others are taken', () => {
  test('in the midst of good ones', async () => {
    const result = await send('payments', [
      payment(),
      '',
      '{"provider": ',
      payment({ amount: 'ana@example.com' }),
      payment({ external_id: 'pi_2' }),
      '[]',
    ])
    expect(result.taken).toBe(2)
    expect(result.lines.map(([line]) => line)).toEqual([3, 4, 6])
    expect(result.lines[0]![1]).toBe('row: is not valid JSON')
    expect(JSON.stringify(result.lines)).not.toContain('ana@example.com')
    expect(await world.received(topics.payments, 2)).toHaveLength(2)
  })

  test.each<[ImportKindName, object, string]>([
    ['ad-delivery', delivery({ date: '2026-02-30' }), 'date'],
    ['ad-delivery', delivery({ currency: 'ZZZ' }), 'currency'],
    ['ad-delivery', delivery({ ad_name: undefined }), 'ad_name'],
    ['ad-delivery', delivery({ spend: -1 }), 'spend'],
    ['ad-delivery', delivery({ impressions: 1.5 }), 'impressions'],
    ['ad-delivery', delivery({ creative_thumbnail_url: 'javascript:alert(1)' }), 'creative_thumbnail_url'],
    ['crm-outcomes', deal({ provider: '' }), 'provider'],
    ['crm-outcomes', deal({ value: 5 }), 'currency'],
    ['crm-outcomes', deal({ occurred_at: undefined }), 'occurred_at'],
    ['crm-outcomes', deal({ occurred_at: '2001-01-01' }), 'occurred_at'],
    ['crm-outcomes', deal({ contact: 'Ana' }), 'contact'],
    ['crm-outcomes', deal({ outcome_type: undefined }), 'outcome_type'],
    ['crm-outcomes', deal({ stage: '' }), 'stage'],
    ['crm-outcomes', deal({ stage: { name: 'Quote' } }), 'stage'],
    ['crm-outcomes', deal({ stage: 'Deals of ana@example.com' }), 'stage'],
    ['crm-outcomes', deal({ stage: { id: 1, pipeline: 'x'.repeat(201) } }), 'stage.pipeline'],
    ['payments', payment({ amount: undefined }), 'amount'],
    ['payments', payment({ amount: -1 }), 'amount'],
    ['payments', payment({ refunded_amount: 'x' }), 'refunded_amount'],
    ['payments', payment({ subject_ref: 'maria' }), 'subject_ref'],
    ['payments', payment({ external_id: '' }), 'external_id'],
    ['payments', payment({ external_id: 'order of ana@example.com' }), 'external_id'],
    ['crm-outcomes', deal({ external_id: 'ana@example.com' }), 'external_id'],
    ['crm-outcomes', deal({ outcome_type: 'lead ana@example.com' }), 'outcome_type'],
  ])('%s: %o names %s', async (kind, row, field) => {
    const { taken, lines } = await send(kind, [row])
    expect(taken).toBe(0)
    expect(lines[0]![1]).toMatch(new RegExp(`^${field}: `))
  })

  test('a line that is too long', async () => {
    const lines: [number, string][] = []
    await importRows('payments', world.profile, [tooLong], {
      producer: world.producer,
      vault: world.vault,
      onBadLine: (line, reason) => lines.push([line, reason]),
    })
    expect(lines).toEqual([[1, 'row: is longer than a megabyte']])
  })
})

test('an engine that stays away ends the import', async () => {
  const producer = connectProducer({ brokers: ['127.0.0.1:1'], timeoutMs: 200 })
  const lines = [JSON.stringify(payment())]
  await expect(
    importRows('payments', world.profile, lines, { producer, vault: world.vault, patienceMs: 500 }),
  ).rejects.toThrow('kafka is not available')
  await producer.close()
})
