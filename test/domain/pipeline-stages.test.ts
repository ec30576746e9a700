import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { observeStage, type StageMeaning, stageOutcomes, suggestOutcome } from '../../domain/pipeline-stages.ts'

describe('the suggestion for a stage', () => {
  it.each([
    ['New Lead', 'lead_created'],
    ['Nuevo prospecto', 'lead_created'],
    ['Interesado', 'lead_created'],
    ['Solicitud recibida', 'lead_created'],
    ['Agendado', 'appointment_booked'],
    ['Lead agendado', 'appointment_booked'],
    ['Cita confirmada', 'appointment_booked'],
    ['Reunión agendada', 'appointment_booked'],
    ['Appointment booked', 'appointment_booked'],
    ['Demo scheduled', 'appointment_booked'],
    ['Propuesta enviada', 'quote_sent'],
    ['COTIZACIÓN', 'quote_sent'],
    ['Presupuesto', 'quote_sent'],
    ['Quote sent', 'quote_sent'],
    ['Proposal / offer', 'quote_sent'],
    ['Closed - Won', 'closed_won'],
    ['Propuesta ganada', 'closed_won'],
  ])('%j is %s', (name, key) => {
    expect(suggestOutcome(name)).toBe(key)
  })

  it.each([
    'Contactado',
    'En conversación',
    'Por agendar',
    'Cotización pendiente',
    'To be scheduled',
    'Cita cancelada',
    'No show',
    'No interesado',
    'Not interested',
    'Unqualified lead',
    'Closed lost',
    'Perdido',
    'Abandoned',
    'Descartado',
    'Stage 4',
    '',
    '¿?',
  ])('%j is none', (name) => {
    expect(suggestOutcome(name)).toBeUndefined()
  })
})

describe('a stage that is seen', () => {
  it('counts as what its name suggests, or as nothing yet', () => {
    expect(observeStage(undefined, { name: 'Agendado', namedAt: 5 })).toEqual({
      name: 'Agendado',
      namedAt: 5,
      eventKey: 'appointment_booked',
      source: 'suggested',
    })
    expect(observeStage(undefined, { name: 'Etapa 3', namedAt: 5 })).toEqual({
      name: 'Etapa 3',
      namedAt: 5,
      eventKey: 'unmapped',
      source: 'engine_default',
    })
  })

  it('keeps what a user decided, under its new name', () => {
    const decided: StageMeaning = { name: 'Etapa 3', namedAt: 5, eventKey: 'ignored', source: 'user' }
    expect(observeStage(decided, { name: 'Agendado', namedAt: 6 })).toEqual({
      ...decided,
      name: 'Agendado',
      namedAt: 6,
    })
  })

  it('means the same whatever the order in which its deals come', () => {
    const seen = fc.array(
      fc.record({ name: fc.constantFrom('Agendado', 'Propuesta', 'Etapa 3'), namedAt: fc.nat({ max: 3 }) }),
      { minLength: 1, maxLength: 6 },
    )
    const meaning = (all: { name: string; namedAt: number }[]) =>
      all.reduce<StageMeaning | undefined>((standing, one) => observeStage(standing, one), undefined)
    fc.assert(
      fc.property(seen, (all) => {
        expect(meaning(all.toReversed())).toEqual(meaning(all))
        expect(meaning([...all, ...all])).toEqual(meaning(all))
      }),
    )
  })
})

it('offers a stage what definitions count, but no cash', () => {
  expect(
    stageOutcomes([
      { eventTypes: ['payment_received'], revenueType: 'cash' },
      { eventTypes: ['quote_sent', 'offer'], revenueType: 'pipeline' },
    ]),
  ).toEqual(['quote_sent', 'offer'])
})
