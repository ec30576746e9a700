export interface Batches {
  count: number
  messages: number
  seconds: number
}

/** What the batches of a pipeline come to so far, by the metrics of the processors. */
export function batchesOf(metrics: string, pipeline: string): Batches {
  const total = (name: string) => {
    const line = metrics.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(`pipeline="${pipeline}"`))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  return {
    count: total('touchline_batch_seconds_count'),
    messages: total('touchline_batch_messages_sum'),
    seconds: total('touchline_batch_seconds_sum'),
  }
}

/** Of the batches between two looks: how many, how large, how long each took. */
export function batchesSince(before: Batches, after: Batches): string {
  const count = after.count - before.count
  const each = (part: 'messages' | 'seconds') => (after[part] - before[part]) / Math.max(1, count)
  return `${count} batches of ${each('messages').toFixed(0)} messages, ${(1000 * each('seconds')).toFixed(0)} ms each`
}
