import type { EventInput, EventResult } from './generated.ts'

/** How far `trackAll` came before it failed. */
export interface Unfinished {
  /** Of the events before those that are left. */
  results: EventResult[]
  /** The events that are left, each with the key it was sent with: `trackAll(unsent)` records none of them twice. */
  unsent: EventInput[]
}

/** A refusal of the API. Branch on `code`; `docsUrl` explains it. */
export class TouchlineError extends Error {
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined
  readonly docsUrl: string | undefined
  /** Whatever else the refusal says: `fields`, `reason`, `required_scopes`, … */
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds to wait, where the API said so. */
  readonly retryAfter: number | undefined
  /** Of `trackAll` alone. */
  declare readonly unfinished?: Unfinished

  constructor(status: number, body: unknown, retryAfter: number | undefined) {
    const said = (body as { error?: Record<string, unknown> } | undefined)?.error ?? {}
    const {
      code = 'unknown',
      message = `The API answered ${status}.`,
      request_id,
      docs_url,
      status: _,
      ...details
    } = said
    super(String(message))
    this.name = 'TouchlineError'
    this.code = String(code)
    this.status = status
    this.requestId = request_id as string | undefined
    this.docsUrl = docs_url as string | undefined
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** The API could not be reached, or did not answer in time. */
export class TouchlineUnreachable extends Error {
  /** Of `trackAll` alone. */
  declare readonly unfinished?: Unfinished

  constructor(cause: unknown) {
    super('The Touchline API could not be reached.', { cause })
    this.name = 'TouchlineUnreachable'
  }
}

/** Kept out of sight of whoever prints the error: events tell of persons. */
export const withUnfinished = <Failure extends Error>(error: Failure, unfinished: Unfinished): Failure =>
  Object.defineProperty(error, 'unfinished', { value: unfinished, enumerable: false })
