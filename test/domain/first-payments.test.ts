import { describe, expect, it } from 'vitest'
import { firstPayments, type PaymentInOrder } from '../../domain/first-payments.ts'

const day = 86_400_000

/** `a@3` is a payment for subject a on day 3, `-@3` an untagged one, `a@3i` one marked as an installment. */
const payments = (text: string): PaymentInOrder[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((one, index) => {
      const [, ref, at, mark] = /^(.)@([\d.]+)(i?)$/.exec(one)!
      return {
        id: String(index).padStart(3, '0'),
        timeMs: Number(at) * day,
        subjectRef: ref === '-' ? null : ref!,
        isInstallment: mark === 'i',
      }
    })

/** O opens a group, g belongs to one, . is returning. */
const flags = (text: string) =>
  firstPayments(payments(text))
    .map(({ isFirst, opens }) => (opens ? 'O' : isFirst ? 'g' : '.'))
    .join('')

describe('first payments', () => {
  it.each([
    ['', '', 'nobody paid'],
    ['-@0', 'O', 'the only payment'],
    ['-@0 -@30', 'O.', 'without refs one first payment a customer'],
    ['-@0 -@7', 'Og', 'deposit and balance within seven days'],
    ['-@0 -@7.01', 'O.', 'a balance after seven days'],
    ['-@0 -@3 -@6 -@9', 'Ogg.', 'the group is measured from its first payment'],
    ['a@0 b@1', 'OO', 'each distinct subject has its own first payment'],
    ['a@0 b@1 a@2 b@30', 'OOg.', 'the grouping holds within a subject'],
    ['-@0 a@1', 'O.', 'an earlier untagged payment makes a subject returning'],
    ['a@0 -@1', 'O.', 'an untagged payment after a tagged one is never first'],
    ['a@0 -@1 a@2', 'O.g', 'the balance of a subject is not undone by an untagged payment'],
    ['a@0 -@1 b@2', 'O..', 'an untagged payment in between makes the next subject returning'],
    ['-@0i -@1', '..', 'an installment is never first and counts as an earlier payment'],
    ['a@0i a@1 b@2', '..O', 'an installment of a subject makes that subject returning, not another'],
    ['-@0 -@1i -@2', 'O.g', 'an installment inside a group is not first'],
    ['-@0 a@1 -@2', 'O..', 'a tagged payment ends the untagged group'],
  ])('%s gives %s: %s', (history, expected) => {
    expect(flags(history)).toBe(expected)
  })

  it('does not depend on the order of arrival', () => {
    const history = payments('a@0 -@1 a@2 b@3 -@9')
    expect(firstPayments(history.toReversed())).toEqual(firstPayments(history))
  })
})
