import { TouchlineError, TouchlineUnreachable, withUnfinished } from './errors.ts'
import { type EventInput, type Operations, operations } from './generated.ts'
import { type AnyInput, type PlainRequest, requestOf } from './request.ts'
import { pauseBefore, retryAfterOf } from './retries.ts'

export interface ClientOptions {
  /** `https://…`, without a path. */
  baseUrl: string
  /** An API key; or what gives one for each request, when keys are rotated. */
  apiKey: string | (() => string | Promise<string>)
  /** Attempts after the first, 4 unless said otherwise. */
  maxRetries?: number
  /** The longest Retry-After that is waited for, a minute unless said otherwise. */
  maxWaitMs?: number
  /** How long one attempt may take, 30 seconds unless said otherwise. */
  timeoutMs?: number
  /** Headers of every request. */
  headers?: Record<string, string>
  fetch?: typeof fetch
}

export type OperationId = keyof Operations

type Field<Id extends OperationId, Name extends string> = Name extends keyof Operations[Id]
  ? Pick<Operations[Id], Name & keyof Operations[Id]>
  : unknown

/** What an operation takes: `path`, `query` and `body` as it has them. */
export type Input<Id extends OperationId> = Field<Id, 'path'> &
  Field<Id, 'query'> &
  Field<Id, 'body'> & {
    /** Names the request, for operations that take an Idempotency-Key; made up where one is needed and left out. */
    idempotencyKey?: string
    signal?: AbortSignal
  }

export type Answer<Id extends OperationId> = Operations[Id]['answer']

type Arguments<Id extends OperationId> =
  Record<string, never> extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>]

/** Operations that answer page by page behind a cursor. */
export type PagedId = {
  [Id in OperationId]: Answer<Id> extends { data: unknown[]; pagination: unknown }
    ? Operations[Id] extends { query?: { cursor?: string } }
      ? Id
      : never
    : never
}[OperationId]

export type Row<Id extends PagedId> = Answer<Id> extends { data: (infer Item)[] } ? Item : never

export type Api = { [Id in OperationId]: (...args: Arguments<Id>) => Promise<Answer<Id>> }

export interface Client {
  /** Every operation of the API by its name. */
  api: Api
  /** Records an outcome; its id. A key is made up where the event has none, so that a retry is no second event. */
  track(event: EventInput): Promise<string>
  /**
   * Records many outcomes, 500 a request; a result each, in their order. Where a request fails, `unfinished` of the error
   * has the results so far, and the events that are left, to be sent again as they are.
   */
  trackAll(events: readonly EventInput[]): Promise<Answer<'postEvents'>['data']['results']>
  /** All rows of a list, page after page. */
  rows<Id extends PagedId>(id: Id, input: Input<Id>): AsyncGenerator<Row<Id>, void, undefined>
}

const eventsPerRequest = 500

export function createClient(options: ClientOptions): Client {
  const { maxRetries = 4, maxWaitMs = 60_000 } = options
  const call = async (id: OperationId, input: AnyInput = {}): Promise<unknown> => {
    const { method, idempotency } = operations[id]
    // Before the first attempt: what cannot be sent now never can.
    const request = requestOf(options, id, withKeys(id, input))
    const isRepeatable = method === 'GET' || idempotency !== 'none'
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(options, request, input.signal)
      } catch (error) {
        const pauseMs = pauseBefore(attempt, error, isRepeatable, { maxRetries, maxWaitMs })
        if (pauseMs === undefined || input.signal?.aborted) throw error
        await pause(pauseMs, input.signal)
      }
    }
  }
  const api = Object.fromEntries(
    (Object.keys(operations) as OperationId[]).map((id) => [id, (input?: AnyInput) => call(id, input)]),
  ) as unknown as Api

  return {
    api,
    async track(event) {
      return (await api.postEvent({ body: event })).data.outcome_event_id
    },
    async trackAll(events) {
      // Keys are made up here, so that what is left after a failure is sent again under the same ones.
      const sent = events.map((event) => keyed(event) as EventInput)
      const results: Answer<'postEvents'>['data']['results'] = []
      for (let from = 0; from < sent.length; from += eventsPerRequest) {
        const body = { events: sent.slice(from, from + eventsPerRequest) }
        const { data } = await api.postEvents({ body }).catch((error: Error) => {
          throw withUnfinished(error, { results, unsent: sent.slice(from) })
        })
        results.push(...data.results.map((result) => ({ ...result, index: result.index + from })))
      }
      return results
    },
    async *rows(id, input) {
      let query = { ...(input as AnyInput).query }
      for (;;) {
        const page = (await call(id, { ...(input as AnyInput), query })) as {
          data: never[]
          pagination: { has_next: boolean; cursor: string | null }
        }
        yield* page.data
        if (!page.pagination.has_next || page.pagination.cursor === null) return
        query = { ...query, cursor: page.pagination.cursor }
      }
    },
  }
}

/** Without a key, of the request or of its own, a repeated event would be a second one. */
function withKeys(id: OperationId, input: AnyInput): AnyInput {
  if (input.idempotencyKey !== undefined) return input
  if (operations[id].idempotency === 'header') return { ...input, idempotencyKey: crypto.randomUUID() }
  if (id === 'postEvent') return { ...input, body: keyed(input.body) }
  if (id === 'postEvents') {
    const body = input.body as { events: unknown[] }
    return { ...input, body: { ...body, events: body.events.map(keyed) } }
  }
  return input
}

const keyed = (event: unknown) =>
  typeof event === 'object' && event !== null && !('idempotency_key' in event && event.idempotency_key)
    ? { ...event, idempotency_key: crypto.randomUUID() }
    : event

async function send(options: ClientOptions, request: PlainRequest, signal: AbortSignal | undefined): Promise<unknown> {
  const { apiKey, timeoutMs = 30_000, fetch: fetching = fetch } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  let answer: Response
  let text: string
  try {
    const { url, headers, ...rest } = request
    headers.set('authorization', `Bearer ${typeof apiKey === 'function' ? await apiKey() : apiKey}`)
    answer = await fetching(url, {
      ...rest,
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      redirect: 'error',
    })
    text = await answer.text()
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw new TouchlineUnreachable(error)
  }
  const body = parse(text)
  if (!answer.ok) throw new TouchlineError(answer.status, body, retryAfterOf(answer.headers.get('retry-after')))
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
