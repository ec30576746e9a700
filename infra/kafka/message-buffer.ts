import type { ConsumedMessage } from './positions.ts'

export interface MessageBuffer {
  add(messages: Iterable<ConsumedMessage>): void
  clear(): void
  isFull(): boolean
  /** When the messages that are there go, however few they are; undefined while there is none. */
  dueAt(): number | undefined
  /** As many as make a batch, in order. */
  take(): ConsumedMessage[]
}

interface Limits {
  maxMessages: number
  /** What a batch weighs at most, a single larger message apart; the same may wait behind it. */
  maxBytes: number
  /** How long the first of a batch that is not full waits for more. */
  maxWaitMs: number
}

/** Messages that were fetched and not taken yet. */
export function messageBuffer({ maxMessages, maxBytes, maxWaitMs }: Limits): MessageBuffer {
  let waiting: ConsumedMessage[] = []
  let bytes = 0
  /** Since when the first of them has waited: what came while another batch was stored has done its waiting. */
  let since = 0
  return {
    add(messages) {
      if (waiting.length === 0) since = Date.now()
      for (const message of messages) {
        waiting.push(message)
        bytes += sizeOf(message)
      }
    },
    clear() {
      waiting = []
      bytes = 0
    },
    isFull: () => waiting.length >= maxMessages || bytes >= maxBytes,
    dueAt: () => (waiting.length > 0 ? since + maxWaitMs : undefined),
    take() {
      let [count, size] = [0, 0]
      for (const message of waiting) {
        const isOver = count === maxMessages || (count > 0 && size + sizeOf(message) > maxBytes)
        if (isOver) break
        count++
        size += sizeOf(message)
      }
      bytes -= size
      // What is left is the beginning of a batch of its own.
      since = Date.now()
      return waiting.splice(0, count)
    },
  }
}

const sizeOf = ({ key, value }: ConsumedMessage) => (key?.length ?? 0) + (value?.length ?? 0)
