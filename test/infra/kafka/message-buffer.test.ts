import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { messageBuffer } from '../../../infra/kafka/message-buffer.ts'
import type { ConsumedMessage } from '../../../infra/kafka/positions.ts'

const start = Date.UTC(2026, 0, 1)
const later = (ms: number) => vi.setSystemTime(start + ms)
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  later(0)
})
afterEach(() => vi.useRealTimers())

let offset = 0n
const message = (bytes = 1): ConsumedMessage => ({
  topic: 'visits',
  partition: 0,
  offset: offset++,
  timestamp: 0n,
  key: null,
  value: Buffer.alloc(bytes),
})
const open = () => messageBuffer({ maxMessages: 3, maxBytes: 100, maxWaitMs: 50 })

it('lets messages go when the first of them has waited, however many came after it', () => {
  const buffer = open()
  expect(buffer.dueAt()).toBeUndefined()
  buffer.add([])
  expect(buffer.dueAt()).toBeUndefined()
  later(10)
  buffer.add([message()])
  later(40)
  buffer.add([message()])
  expect(buffer.dueAt()).toBe(start + 60)
  expect(buffer.take()).toHaveLength(2)
  expect(buffer.dueAt()).toBeUndefined()
  later(200)
  buffer.add([message()])
  expect(buffer.dueAt()).toBe(start + 250)
})

it('counts what a full batch leaves behind from when that one went', () => {
  const buffer = open()
  const all = Array.from({ length: 5 }, () => message())
  buffer.add(all)
  expect(buffer.isFull()).toBe(true)
  later(20)
  expect(buffer.take()).toEqual(all.slice(0, 3))
  expect(buffer.isFull()).toBe(false)
  expect(buffer.dueAt()).toBe(start + 70)
  expect(buffer.take()).toEqual(all.slice(3))
})

it('is full by weight as well, and lets a message go alone that is larger than a batch', () => {
  const buffer = open()
  const [large, small] = [message(500), message()]
  buffer.add([large, small])
  expect(buffer.isFull()).toBe(true)
  expect(buffer.take()).toEqual([large])
  expect(buffer.isFull()).toBe(false)
  buffer.clear()
  expect(buffer.dueAt()).toBeUndefined()
  expect(buffer.take()).toEqual([])
})
