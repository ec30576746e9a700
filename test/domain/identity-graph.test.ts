import { describe, expect, it } from 'vitest'
import {
  type CutSide,
  evidenceOrder,
  type GraphIdentifier,
  type GraphLink,
  groupIdentifiers,
} from '../../domain/identity-graph.ts'
import type { IdentifierType } from '../../schemas/messages.ts'

const identifier = (token: string, type: IdentifierType, firstSeen = '1'): GraphIdentifier => ({
  token,
  type,
  namespace: null,
  firstSeen,
})
const link = (a: string, b: string, evidence: string, isTrusted = true): GraphLink => ({ a, b, evidence, isTrusted })
const cut = (cutId: string, kept: string[], separated: string[]): CutSide[] => [
  ...kept.map((token) => ({ cutId, token, side: 'kept' as const })),
  ...separated.map((token) => ({ cutId, token, side: 'separated' as const })),
]
const groups = (identifiers: GraphIdentifier[], links: GraphLink[], cuts: CutSide[] = []) =>
  groupIdentifiers(identifiers, links, { cuts })
    .groups.map((tokens) => tokens.sort().join('+'))
    .sort()

describe('groupIdentifiers', () => {
  it('joins what a chain of links connects', () => {
    const people = [
      identifier('mail', 'email'),
      identifier('phone', 'phone'),
      identifier('ext', 'external_customer_id'),
    ]
    expect(groups(people, [link('mail', 'phone', '2'), link('ext', 'phone', '3')])).toEqual(['ext+mail+phone'])
  })

  it('leaves an identifier without links alone', () => {
    expect(groups([identifier('a', 'email'), identifier('b', 'email')], [])).toEqual(['a', 'b'])
  })

  it.each(['national_id', 'crm_contact_id', 'external_customer_id'] as const)(
    'never gives one person two values of %s; the earlier evidence stands',
    (type) => {
      const people = [identifier('one', type), identifier('two', type), identifier('mail', 'email')]
      const links = [link('mail', 'one', '2'), link('mail', 'two', '3')]
      expect(groups(people, links)).toEqual(['mail+one', 'two'])
      expect(groups(people, links.toReversed())).toEqual(['mail+one', 'two'])
    },
  )

  it('lets a person have several e-mails and phones', () => {
    const people = [identifier('m1', 'email'), identifier('m2', 'email'), identifier('p', 'phone')]
    expect(groups(people, [link('m1', 'p', '2'), link('m2', 'p', '3')])).toEqual(['m1+m2+p'])
  })

  it('does not let a browser join two identifiers that were known before', () => {
    const people = [identifier('m', 'email', '1'), identifier('p', 'phone', '2')]
    expect(groups(people, [link('m', 'p', '3', false)])).toEqual(['m', 'p'])
    expect(groups(people, [link('m', 'p', '3', true)])).toEqual(['m+p'])
  })

  it('lets a browser introduce a new identifier', () => {
    const people = [identifier('m', 'email', '1'), identifier('p', 'phone', '3')]
    expect(groups(people, [link('m', 'p', '3', false)])).toEqual(['m+p'])
  })

  it('lets an identifier with more than 50 partners join nobody', () => {
    const mails = Array.from({ length: 51 }, (_, i) => identifier(`m${i}`, 'email'))
    const clinic = identifier('clinic', 'phone')
    const links = mails.map((mail, i) => link('clinic', mail.token, `${i + 10}`))
    expect(groups([clinic, ...mails], links)).toHaveLength(52)
    expect(groups([clinic, ...mails.slice(0, 50)], links.slice(0, 50))).toHaveLength(1)
  })

  it('lets a browser that names two known people and somebody new join the new one to one of them only', () => {
    const people = [identifier('m', 'email', '1'), identifier('n', 'email', '2'), identifier('p', 'phone', '3')]
    const links = [link('m', 'n', '3', false), link('m', 'p', '3', false), link('n', 'p', '3', false)]
    expect(groups(people, links)).toEqual(['m+p', 'n'])
  })

  it.each([
    ['a', 'b', 'c', 'd'],
    ['d', 'c', 'b', 'a'],
  ])('takes the pairs of one message strongest first, whatever their tokens', (own, mail, phone, other) => {
    const people = [
      identifier(own, 'external_customer_id', '2'),
      identifier(mail, 'email', '2'),
      identifier(phone, 'phone'),
      identifier(other, 'external_customer_id'),
    ]
    const pairs = [
      [own, mail],
      [own, phone],
      [mail, phone],
    ].map((tokens) => tokens.sort() as [string, string])
    const links = [link(phone, other, '1'), ...pairs.map(([a, b]) => link(a, b, '2'))]
    // The phone is another customer's, so the e-mail goes with its own id and not with the phone.
    expect(groups(people, links)).toEqual([[own, mail].sort().join('+'), [phone, other].sort().join('+')].sort())
  })

  it('lets a person be a contact of two CRMs, once in each', () => {
    const contact = (token: string, namespace: string | null) => ({ ...identifier(token, 'crm_contact_id'), namespace })
    const links = [link('h1', 'mail', '2'), link('mail', 'p1', '3'), link('h2', 'mail', '4')]
    const people = [contact('h1', 'hubspot'), contact('h2', 'hubspot'), contact('p1', 'pipedrive')]
    expect(groups([...people, identifier('mail', 'email')], links)).toEqual(['h1+mail+p1', 'h2'])
  })

  it('never joins the two sides of a cut, by what stands or by what comes', () => {
    const people = ['mail', 'phone', 'new'].map((token) => identifier(token, 'email'))
    const cuts = cut('1', ['mail'], ['phone'])
    const links = [link('mail', 'phone', '2'), link('new', 'phone', '3'), link('mail', 'new', '4')]
    expect(groups(people, links)).toEqual(['mail+new+phone'])
    expect(groups(people, links, cuts)).toEqual(['mail', 'new+phone'])
    expect(groups(people, [link('mail', 'new', '1'), ...links], cuts)).toEqual(['mail+new', 'phone'])
  })

  it('keeps two cuts apart from each other', () => {
    const people = ['a', 'b', 'c'].map((token) => identifier(token, 'email'))
    const links = [link('a', 'b', '2'), link('b', 'c', '3')]
    expect(groups(people, links, [...cut('1', ['a'], ['c']), ...cut('2', ['b'], ['x'])])).toEqual(['a+b', 'c'])
  })

  it('says which links it blocked and why', () => {
    const mails = Array.from({ length: 51 }, (_, i) => identifier(`m${i}`, 'email'))
    const people = [
      identifier('clinic', 'phone'),
      ...mails,
      identifier('rut1', 'national_id'),
      identifier('rut2', 'national_id'),
    ]
    const busy = mails.map((mail, i) => link('clinic', mail.token, `${i + 100}`))
    const links = [
      ...busy,
      link('m0', 'rut1', '2'),
      link('m0', 'rut2', '3'),
      link('m1', 'm2', '4', false),
      link('m3', 'm4', '5'),
      link('m5', 'm6', '6', false),
      link('m5', 'm6', '7'),
    ]
    const { blocked } = groupIdentifiers(people, links, { cuts: cut('1', ['m3'], ['m4']) })
    const why = (a: string, b: string, evidence: string) =>
      [...blocked].find(([l]) => l.a === a && l.b === b && l.evidence === evidence)?.[1]
    expect(busy.map((l) => blocked.get(l))).toEqual(busy.map(() => 'hub'))
    expect(why('m0', 'rut1', '2')).toBeUndefined()
    expect(why('m0', 'rut2', '3')).toBe('different_held_once')
    expect(why('m1', 'm2', '4')).toBe('browser_cannot_join')
    expect(why('m3', 'm4', '5')).toBe('cut')
    // What the browser could not join, a trusted link did.
    expect(why('m5', 'm6', '6')).toBeUndefined()
    expect(blocked.size).toBe(busy.length + 3)
  })

  it('orders evidence by event time, then by id', () => {
    const orders = [
      evidenceOrder(5, 'b'),
      evidenceOrder(1_700_000_000_000, 'a'),
      evidenceOrder(5, 'a'),
      evidenceOrder(40, 'a'),
    ]
    expect(orders.toSorted()).toEqual([
      evidenceOrder(5, 'a'),
      evidenceOrder(5, 'b'),
      evidenceOrder(40, 'a'),
      evidenceOrder(1_700_000_000_000, 'a'),
    ])
  })
})
