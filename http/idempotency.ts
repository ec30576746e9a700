import { createHmac, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { canonicalJson } from '../domain/canonical-json.ts'
import { noId, uuidv5 } from '../domain/ids.ts'
import { deriveKey, keyLabels, open, seal } from '../domain/sealing.ts'
import { serveNobody, serveProfile } from '../postgres/as-profile.ts'
import { keepAnswer, type Reservation, release, reserve } from '../postgres/stores/idempotency-keys.ts'
import type { Answer } from './answer.ts'
import { ApiError, catalogue, type ErrorCode } from './errors.ts'
import { toApiError } from './failures.ts'
import type { Execution } from './operation.ts'

/** A request, as far as it decides whether another one is the same. */
export interface Call {
  operation: string
  /** Whose key it is: the same text of two callers is two keys. */
  owner: string
  profileId: string | undefined
  method: string
  url: string
  body: unknown
}

export interface Once {
  /** Runs the call, or answers what the first call with this key was answered. */
  withKey(
    key: string,
    call: Call,
    run: (execution: Execution) => Promise<Answer>,
    refusal: (error: ApiError) => Answer,
  ): Promise<Answer & { isReplay: boolean }>
  /** The same unit of work where the operation does not insist on a key and none was sent. */
  withoutKey(profileId: string | undefined, run: (execution: Execution) => Promise<Answer>): Promise<Answer>
}

const refuse = () => Promise.reject(new Error('This app was built without a store of idempotency keys.'))
/** An app that was built without a store runs nothing that must happen once. */
export const noKeys: Once = { withKey: refuse, withoutKey: refuse }

// Longer than any request is waited for (`supervise`): who is overtaken is gone, or hangs.
const leaseMs = 40_000
const retryAfterSeconds = 1
const keyShape = /^[\x20-\x7e]{1,255}$/

export function idempotencyKeyOf(header: string | string[] | undefined, isRequired: boolean): string | undefined {
  const key = Array.isArray(header) ? header.join(',') : header
  if (key === undefined && !isRequired) return undefined
  if (key === undefined || key === '') {
    throw new ApiError('invalid_request', 'This operation needs an Idempotency-Key header: a text of your choice.', {
      reason: 'idempotency_key_required',
    })
  }
  if (keyShape.test(key)) return key
  throw new ApiError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.', {
    reason: 'idempotency_key_malformed',
  })
}

export function onceWithKey(postgres: pg.Pool, secret: Buffer): Once {
  const key = deriveKey(secret, keyLabels.idempotency)
  // Lengths keep the parts apart, whatever they hold.
  const hash = (...parts: string[]) => {
    const hmac = createHmac('sha256', key)
    for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part}`)
    return hmac.digest()
  }

  return {
    async withKey(sent, call, run, refusal) {
      const reservation: Reservation = {
        id: hash('key', call.owner, sent),
        profileId: call.profileId,
        operation: call.operation,
        requestHash: hash('request', call.method, call.url, textOf(call.body)),
        attempt: randomUUID(),
        leaseMs,
      }
      const context = `idempotency/${reservation.id.toString('hex')}`
      const reserved = await reserve(postgres, reservation)
      switch (reserved.kind) {
        case 'ours': {
          const sealed = (answer: Answer) => seal(key, context, JSON.stringify(answer))
          return { ...(await execute(postgres, reservation, { run, refusal, sealed })), isReplay: false }
        }
        case 'answered':
          return { ...(JSON.parse(open(key, context, reserved.answer).toString()) as Answer), isReplay: true }
        case 'another_request':
          throw new ApiError('idempotency_key_conflict')
        case 'in_flight':
          throw new ApiError('idempotency_key_in_flight', undefined, { retry_after: retryAfterSeconds })
      }
    },
    withoutKey: (profileId, run) => executeUnkeyed(postgres, profileId, run),
  }
}

/** Something in the request breaks a rule, of its shape or one that only its handler knows. */
const faultsOfForm = new Set<ErrorCode>(['invalid_request', 'invalid_parameter', 'validation_error'])

interface Work {
  run: (execution: Execution) => Promise<Answer>
  refusal: (error: ApiError) => Answer
  sealed: (answer: Answer) => Buffer
}

async function execute(postgres: pg.Pool, reservation: Reservation, work: Work): Promise<Answer> {
  const { id, attempt, profileId } = reservation
  const unit = unitOfWork(postgres, profileId)
  try {
    const answer = await work.run({ id: executionId(reservation), transaction: unit.begin })
    await unit.commit((sql) => keepAnswer(sql, id, attempt, work.sealed(answer)))
    return answer
  } catch (error) {
    await unit.rollback()
    const refused = toApiError(error)
    // A refusal is an answer as well, unless the same request may succeed later, or was none: then it is mended and sent again.
    const isFinal = refused.status < 500 && !catalogue[refused.code].isRetryable && !faultsOfForm.has(refused.code)
    const settled = isFinal
      ? keepAnswer(postgres, id, attempt, work.sealed(work.refusal(refused)))
      : release(postgres, id, attempt)
    // Where that fails the lease runs out, and the next attempt hears the same.
    await settled.catch(() => {})
    throw error
  }
}

/** With nothing to remember it by. Most of what needs no key needs no transaction either, and few look at the id. */
class Unkeyed implements Execution {
  unit: ReturnType<typeof unitOfWork> | undefined
  readonly transaction: Execution['transaction']
  #id: string | undefined

  constructor(postgres: pg.Pool, profileId: string | undefined) {
    this.transaction = () => {
      this.unit ??= unitOfWork(postgres, profileId)
      return this.unit.begin()
    }
  }

  get id() {
    this.#id ??= randomUUID()
    return this.#id
  }
}

async function executeUnkeyed(postgres: pg.Pool, profileId: string | undefined, run: Work['run']): Promise<Answer> {
  const execution = new Unkeyed(postgres, profileId)
  try {
    const answer = await run(execution)
    if (execution.unit) await execution.unit.commit(async () => true)
    return answer
  } catch (error) {
    if (execution.unit) await execution.unit.rollback()
    throw error
  }
}

/** Of the request too: once a key is forgotten another one may come under it. */
const executionId = ({ id, requestHash }: Reservation) => uuidv5(noId, Buffer.concat([id, requestHash]).toString('hex'))

function textOf(body: unknown): string {
  try {
    return canonicalJson(body)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ApiError('invalid_request', 'The body is nested too deeply.')
  }
}

/** One transaction that begins when it is needed; without one the answer is kept on its own. */
function unitOfWork(postgres: pg.Pool, profileId: string | undefined) {
  let begun: Promise<pg.PoolClient> | undefined

  const start = async () => {
    const tx = await postgres.connect()
    try {
      await tx.query('BEGIN')
      if (profileId) await serveProfile(tx, profileId)
      return tx
    } catch (error) {
      tx.release(true)
      throw error
    }
  }

  return {
    begin: () => {
      begun ??= start()
      return begun
    },
    async commit(keep: (sql: pg.Pool | pg.PoolClient) => Promise<boolean>) {
      const tx = await begun
      if (tx) await serveNobody(tx)
      // Another attempt has taken over: it is its answer that counts, and its effect.
      if (!(await keep(tx ?? postgres))) throw new ApiError('idempotency_key_in_flight')
      if (!tx) return
      await tx.query('COMMIT')
      begun = undefined
      tx.release()
    },
    async rollback() {
      const tx = await begun?.catch(() => undefined)
      begun = undefined
      if (!tx) return
      const broken = await tx.query('ROLLBACK').then(
        () => undefined,
        (error: Error) => error,
      )
      tx.release(broken)
    },
  }
}
