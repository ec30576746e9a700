import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import { EngineUnavailable } from '../infra/unavailable.ts'
import { gather } from '../postgres/gather.ts'
import { type Access, type AccessResult, writeAccesses } from '../postgres/stores/pii-access-log.ts'
import { within } from '../postgres/within.ts'
import type { Answer } from './answer.ts'
import { pathTemplate } from './api-path.ts'
import { toApiError } from './failures.ts'
import type { Operation } from './operation.ts'
import { storedRequestId } from './request-id.ts'

/** Resolves once the entry is on disk. */
export type AccessLog = (access: Access) => Promise<void>

// A request waits no longer for its entry than for Postgres anywhere else.
const writeLimitMs = 2000

/** Entries of concurrent requests share a statement; each waits for its own. */
export function piiAccessLog(postgres: pg.Pool): AccessLog {
  const write = gather((accesses: Access[]) => writeAccesses(postgres, accesses), { maxItems: 500, maxFlights: 4 })
  return (access) => within(writeLimitMs, write([access]))
}

/** An app that was built without a log serves no persons. */
export const noAccessLog: AccessLog = () => Promise.reject(new Error('This app was built without a PII access log.'))

/**
 * Lets the answer out only when the access log has it: a crash can leave an entry without an answer, never an answer
 * without its entry. A read that cannot be logged is refused.
 */
export async function logged(
  log: AccessLog,
  operation: Operation<never>,
  request: FastifyRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (!operation.readsPersons) return work()
  let answer: Answer
  try {
    answer = await work()
  } catch (error) {
    await logRefusal(log, operation, request, error)
    throw error
  }
  const result = answer.status >= 400 ? 'refused' : answer.persons > 0 ? 'read' : 'empty'
  await write(log, operation, request, { status: answer.status, result, personCount: answer.persons })
  return answer
}

export async function logRefusal(
  log: AccessLog,
  operation: Operation<never>,
  request: FastifyRequest,
  error: unknown,
): Promise<void> {
  if (!operation.readsPersons) return
  const { status } = toApiError(error)
  // Who is over the limit has not been heard; without this the log would grow as fast as a flood.
  if (status === 429) return
  await write(log, operation, request, { status, result: status >= 500 ? 'failed' : 'refused', personCount: 0 })
}

interface Outcome {
  status: number
  result: AccessResult
  personCount: number
}

async function write(log: AccessLog, operation: Operation<never>, request: FastifyRequest, outcome: Outcome) {
  const { credential, profile } = request
  if (!credential || !profile) return
  try {
    await log({
      workspaceId: profile.workspaceId,
      profileId: profile.id,
      credentialKind: credential.kind,
      credentialId: credential.id,
      appId: credential.appId,
      userId: credential.userId ?? null,
      operation: operation.id,
      method: operation.method,
      route: pathTemplate(operation.url),
      ...outcome,
      requestId: storedRequestId(request),
    })
  } catch (cause) {
    throw new EngineUnavailable('postgres', { cause })
  }
}
