import { describe, expect, it } from 'vitest'
import { evidenceOrder, type GraphIdentifier, type GraphLink, groupIdentifiers } from '../../domain/identity-graph.ts'
import type { IdentifierType } from '../../schemas/messages.ts'

const identifier = (token: string, type: IdentifierType, firstSeen = '1'): GraphIdentifier => ({
  token,
  type,
  namespace: null,
  firstSeen,
})
const link = (a: string, b: string, evidence: string, isTrusted = true): GraphLink => ({ a, b, evidence, isTrusted })
const groups = (identifiers: GraphIdentifier[], links: GraphLink[]) =>
  groupIdentifiers(identifiers, links)
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
