import { describe, expect, it } from 'vitest'
import { digest, type Observation } from '../../domain/observation.ts'

const said = (evidence: string, parts: Partial<Observation>): Observation => ({
  profileId: 'p',
  evidence,
  isTrusted: true,
  visitorId: null,
  identifiers: [],
  firstName: null,
  lastName: null,
  ...parts,
})
const mail = { type: 'email' as const, token: 'm', value: null }
const phone = { type: 'phone' as const, token: 'n', value: null }

describe('digest', () => {
  it('keeps the earliest of what is said twice', () => {
    const seen = digest([
      said('2', { identifiers: [mail, phone], visitorId: 'v', firstName: 'Later' }),
      said('1', { identifiers: [mail, phone], visitorId: 'v', firstName: 'First' }),
    ])
    expect([...seen.links.values()]).toMatchObject([{ a: 'm', b: 'n', evidence: '1' }])
    expect([...seen.visitors.values()]).toEqual([{ profileId: 'p', visitorId: 'v', token: 'm', evidence: '1' }])
    expect(seen.identifiers.get('m')).toMatchObject({ firstSeen: '1', firstName: { value: 'First' } })
  })

  it('keeps one browser of two profiles apart', () => {
    const seen = digest([
      said('1', { identifiers: [mail], visitorId: 'v' }),
      said('2', { identifiers: [{ ...mail, token: 'q' }], visitorId: 'v', profileId: 'other' }),
    ])
    expect(seen.visitors.size).toBe(2)
  })

  it('says nothing about who nobody named', () => {
    expect(digest([said('1', { visitorId: 'v' })])).toEqual({
      identifiers: new Map(),
      links: new Map(),
      visitors: new Map(),
    })
  })

  it.each([
    ['HubSpot:42', 'hubspot'],
    ['crm.example:42', 'crm.example'],
    [`${'c'.repeat(64)}:42`, 'c'.repeat(64)],
  ])('knows the CRM of contact %s, and leaves other values alone', (value, name) => {
    const seen = digest([
      said('1', {
        identifiers: [
          { type: 'crm_contact_id', token: 'c', value },
          { type: 'external_customer_id', token: 'e', value: 'shop:42' },
        ],
      }),
    ])
    expect(seen.identifiers.get('c')!.namespace).toBe(name)
    expect(seen.identifiers.get('e')!.namespace).toBeNull()
  })
})
