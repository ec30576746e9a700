import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createCodec, decode, encode } from '../../schemas/codec.ts'
import { schemaVersions } from '../../schemas/registry.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import * as samples from './samples.ts'

const profile = randomUUID()
const full: [Topic<never>, unknown][] = [
  [topics.visits, samples.visit(profile)],
  [topics.events, samples.serverEvent(profile)],
  [topics.crmOutcomes, samples.crmOutcome(profile)],
  [topics.payments, samples.payment(profile)],
  [topics.adDelivery, samples.adDelivery(profile)],
  [topics.settings, samples.profileSetting(profile)],
  [topics.settings, samples.definitionSetting(profile)],
  [topics.settings, samples.stageSetting(profile)],
  [topics.dirtyCustomers, samples.dirtyCustomers(profile)],
  [topics.rejected, samples.rejected(profile)],
  [topics.paymentActions, samples.paymentAction(profile)],
  [topics.fxRates, samples.fxRate()],
  [topics.identity, samples.identitySighting(profile)],
]

describe('the codec', () => {
  it('has a sample for every topic', () => {
    expect(new Set(full.map(([topic]) => topic.name))).toEqual(new Set(Object.values(topics).map((t) => t.name)))
  })

  it.each(full)('gives back what it was given for $name', (topic, value) => {
    const decoded = decode(topic, encode(topic, value as never))
    expect(decoded).toEqual({ kind: 'ok', value })
  })

  it('gives back the absence of every optional field as null', () => {
    const value = { ...samples.visit(profile), device: null, browser: null, os: null, country: null, city: null }
    expect(decode(topics.visits, encode(topics.visits, value))).toEqual({ kind: 'ok', value })
  })

  it("writes Confluent's wire format: a zero byte, then the schema's id, big-endian", () => {
    const bytes = encode(topics.payments, samples.payment(profile))
    const entry = schemaVersions.find((version) => version.subject === 'payments-value')
    expect(bytes[0]).toBe(0)
    expect(bytes.readUInt32BE(1)).toBe(entry?.id)
  })

  it('uses the ids of an outside registry when it is given them', () => {
    const codec = createCodec((entry) => entry.id + 100_000)
    const value = samples.dirtyCustomers(profile)
    const bytes = codec.encode(topics.dirtyCustomers, value)
    expect(bytes.readUInt32BE(1)).toBeGreaterThan(100_000)
    expect(codec.decode(topics.dirtyCustomers, bytes)).toEqual({ kind: 'ok', value })
    expect(decode(topics.dirtyCustomers, bytes)).toEqual({ kind: 'undecodable', why: 'unknown_schema' })
  })

  it('refuses to write a value that breaks the schema and says where, not what', () => {
    const broken = { ...samples.payment(profile), amount_minor: 'jane@example.com' }
    const refusal = (() => {
      try {
        encode(topics.payments, broken as never)
      } catch (error) {
        return String(error)
      }
    })()
    expect(refusal).toContain('amount_minor')
    expect(refusal).not.toContain('jane')
    expect(() => encode(topics.payments, { ...samples.payment(profile), amount_minor: 2 ** 60 })).toThrow()
  })

  const good = encode(topics.visits, samples.visit(profile))
  it.each([
    ['no bytes', Buffer.alloc(0), 'empty'],
    ['no value', null, 'empty'],
    ['JSON', Buffer.from('{"profile_id":1}'), 'no_magic_byte'],
    ['a lone zero', Buffer.from([0]), 'no_magic_byte'],
    ['an id nobody registered', Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1]), 'unknown_schema'],
    ["another topic's message", encode(topics.payments, samples.payment(profile)), 'other_subject'],
    ['a message cut short', good.subarray(0, good.length - 3), 'malformed'],
    ['bytes after the end', Buffer.concat([good, Buffer.from([1])]), 'malformed'],
    ['garbage behind a right header', Buffer.concat([good.subarray(0, 5), Buffer.alloc(40, 0xff)]), 'malformed'],
  ])('answers %s with a value, not an exception', (_, bytes, why) => {
    expect(decode(topics.visits, bytes)).toEqual({ kind: 'undecodable', why })
  })
})
