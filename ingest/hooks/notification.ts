import type { z } from 'zod'
import type { CrmOutcomeRow } from '../imports/crm-outcomes.ts'
import type { PaymentRow } from '../imports/payments.ts'

/**
 * One thing that a notification tells of; `asOf` orders tellings about the same thing, whenever they arrive, and `rank` those
 * of one moment. `released` was reserved for a payment and never taken.
 */
export type Told =
  | { kind: 'payment'; asOf: number; rank?: number; released?: string; row: z.input<typeof PaymentRow> }
  | { kind: 'refund'; asOf: number; refund: Refund }
  | { kind: 'outcome'; asOf: number; row: z.input<typeof CrmOutcomeRow> }

export interface Refund {
  provider: string
  /** The payment it takes back, by its provider's id. */
  payment: string
  id: string
  isDispute: boolean
  amount: string
  currency: string
  /** Of one that came to nothing: what it was to give back, and since when. */
  failed?: { amount: string; since: number }
}

export interface Notification {
  /** What the provider calls it. */
  topic: string
  /** What the provider knows it by; where that is not signed, its content is taken instead. */
  key: string
  told: Told[]
  /** Why nothing is told, where the notification is understood and changes no figure. */
  ignored?: string
}

export interface Received {
  header(name: string): string | undefined
  body: Buffer
  json: unknown
  /** The name that the endpoint's payments and outcomes are filed under. */
  source: string
  receivedAt: number
}

/** The notification is genuine, but not what this table knows. Its message names fields, never their values. */
export class Unmappable extends Error {
  readonly topic: string
  readonly key: string | undefined
  constructor(reason: string, topic = 'unknown', key?: string) {
    super(reason)
    this.name = 'Unmappable'
    this.topic = topic
    this.key = key
  }
}

export type ReadNotification = (received: Received) => Notification
