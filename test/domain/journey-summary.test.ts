import { describe, expect, it } from 'vitest'
import { plainEventType, type SummaryEvent, summarise } from '../../domain/journey-summary.ts'

const event = (type: string, time: string, parts: Partial<SummaryEvent> = {}): SummaryEvent => ({
  type,
  time: `2026-10-${time}Z`,
  channel: null,
  value: null,
  isSynthetic: false,
  ...parts,
})

describe('a summary that the service writes itself', () => {
  it('tells the span, the beginning, the visits and what came of them', () => {
    const events = [
      event('page_view', '01T10:00', { channel: 'paid_social' }),
      event('page_view', '02T10:00', { channel: 'direct' }),
      event('payment_received', '03T10:00', { value: '12.5 USD' }),
    ]
    expect(summarise(events, 3)).toBe(
      'The journey has 3 events, from 2026-10-01 to 2026-10-03 (UTC). It began with page_view through paid_social. ' +
        '2 page views and sign-ins on 2 days, through paid_social and direct. ' +
        'What came of it: payment_received of 12.5 USD on 2026-10-03. ' +
        'The last of them was payment_received on 2026-10-03.',
    )
  })

  it('says that it is a part, and that nothing came of it', () => {
    expect(summarise([event('page_view', '01T10:00')], 250)).toBe(
      'The first 1 event of 250, on 2026-10-01 (UTC). 1 page view or sign-in on 1 day. ' +
        'Nothing was bought, booked or asked for.',
    )
  })

  it('tells ten outcomes and counts the rest; an off-site one by its channel', () => {
    const lead = event('lead_created', '01T10:00', { isSynthetic: true, channel: 'paid_social' })
    const text = summarise(
      Array.from({ length: 12 }, () => lead),
      12,
    )
    expect(text).toContain('lead_created on 2026-10-01, off the site through paid_social')
    expect(text).toContain('; and 2 more.')
  })

  it('is the same for the same events', () => {
    const events = [event('page_view', '01T10:00'), event('lead_created', '02T10:00')]
    expect(summarise(events, 2)).toBe(summarise(structuredClone(events), 2))
  })
})

describe('an event type that is passed on', () => {
  it.each(['page_view', 'lead_created', 'Quote sent', 'demo.booked'])('is %s itself', (type) => {
    expect(plainEventType(type)).toBe(type)
  })
  it.each(['ana@shop.cl', 'call +56912345678', 'order 1234567', 'x'.repeat(61), 'Peña', '', '{"a":1}'])(
    'is “other” for %s',
    (type) => {
      expect(plainEventType(type)).toBe('other')
    },
  )
})
