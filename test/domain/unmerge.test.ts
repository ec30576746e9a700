import { describe, expect, it } from 'vitest'
import type { GraphLink } from '../../domain/identity-graph.ts'
import { cutIdOf, keptWith } from '../../domain/unmerge.ts'

const link = (a: string, b: string): GraphLink => ({ a, b, evidence: '1', isTrusted: true })

describe('keptWith', () => {
  it('keeps what links still hold to the anchor', () => {
    const links = [link('mail', 'phone'), link('ext', 'mail'), link('ext', 'phone')]
    expect(keptWith('mail', ['mail', 'phone', 'ext'], links, new Set(['phone']))).toEqual(['mail', 'ext'])
  })

  it('puts what came in through a separated token alone on neither side', () => {
    const links = [link('mail', 'phone'), link('other', 'phone')]
    expect(keptWith('mail', ['mail', 'phone', 'other'], links, new Set(['phone']))).toEqual(['mail'])
  })
})

describe('cutIdOf', () => {
  const cut = { profileId: '6f0d5d0e-8a3a-4c53-b1b4-7c8f4e8f7f10', kept: ['a', 'b'], separated: ['c'] }

  it('is the same for the same cut, whatever the order', () => {
    expect(cutIdOf({ ...cut, kept: ['b', 'a'] })).toBe(cutIdOf(cut))
  })

  it('differs when the sides differ', () => {
    expect(cutIdOf({ ...cut, kept: ['a'], separated: ['b', 'c'] })).not.toBe(cutIdOf(cut))
  })
})
