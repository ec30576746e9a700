import { compatibilityPartitioner } from '@platformatic/kafka'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partitionByKey } from '../../../infra/kafka/partition-by-key.ts'

const plain = (key: Buffer) => compatibilityPartitioner({} as never, key)

describe('the partition of a key', () => {
  it("is that of Kafka's own clients, whatever the key", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const key = Buffer.from(bytes)
        expect(partitionByKey({}, key)).toBe(plain(key))
      }),
      { numRuns: 2000 },
    )
  })

  it('is that of texts in any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const key = Buffer.from(text)
        expect(partitionByKey({}, key)).toBe(plain(key))
      }),
    )
  })

  it('is the first for a message without a key', () => {
    expect(partitionByKey({}, undefined)).toBe(0)
  })
})
