import cluster, { type Worker } from 'node:cluster'

interface Message {
  type: 'touchline:ask'
  id: number
  what: string
  about?: unknown
  answer?: unknown
}

const limitMs = 5000
const isOurs = (message: unknown): message is Message => (message as Message | null)?.type === 'touchline:ask'

/** In the process that keeps the workers: what each of them may ask for. */
export function answerWorkers(answers: Record<string, (about: never, worker: Worker) => unknown>): void {
  cluster.on('message', async (worker, message: unknown) => {
    if (!isOurs(message)) return
    const answer = await Promise.resolve(answers[message.what]?.(message.about as never, worker)).catch(() => undefined)
    if (worker.isConnected()) worker.send({ ...message, about: undefined, answer })
  })
}

/** In a worker, which does not wait for an answer; nothing in a process that nobody keeps. */
export function tellPrimary(what: string): void {
  if (cluster.isWorker) process.send?.({ type: 'touchline:ask', id: -1, what } satisfies Message)
}

/** In a worker. Undefined when there is no answer in time. */
export type Ask = <Answer>(what: string, about?: unknown) => Promise<Answer | undefined>

export function connectPrimary(): Ask {
  const waiting = new Map<number, (answer: unknown) => void>()
  let asked = 0
  process.on('message', (message) => {
    if (isOurs(message)) waiting.get(message.id)?.(message.answer)
  })
  return async <Answer>(what: string, about?: unknown) => {
    const id = asked++
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const timer = setTimeout(resolve, limitMs, undefined)
    waiting.set(id, resolve)
    process.send?.({ type: 'touchline:ask', id, what, about } satisfies Message)
    try {
      return (await promise) as Answer | undefined
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
    }
  }
}
