import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, EngineUnavailable } from '../infra/unavailable.ts'

/** Resolves when the engine answers. */
export type Check = () => Promise<unknown>
export type Checks = Partial<Record<Engine, Check>>

/** Each engine's answer; one that takes longer than the limit counts as down. */
export async function probe(checks: Checks, limitMs: number): Promise<Partial<Record<Engine, 'ok' | 'down'>>> {
  const answers = await Promise.all(
    Object.entries(checks).map(async ([engine, check]) => [engine, await isUp(check, limitMs)] as const),
  )
  return Object.fromEntries(answers.map(([engine, up]) => [engine, up ? 'ok' : 'down']))
}

async function isUp(check: Check, limitMs: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(limitMs, false, { signal: timer.signal }).catch(() => false)
  const up = Promise.resolve()
    .then(check)
    .then(
      () => true,
      () => false,
    )
  return Promise.race([up, late]).finally(() => timer.abort())
}

const underWay = new WeakMap<Checks, ReturnType<typeof probe>>()

/** One look for all who ask at the same time: a thousand slow requests must not become a thousand probes. */
function sharedProbe(checks: Checks, limitMs: number): ReturnType<typeof probe> {
  const known = underWay.get(checks)
  if (known) return known
  const probing = probe(checks, limitMs).finally(() => underWay.delete(checks))
  underWay.set(checks, probing)
  return probing
}

const patienceMs = 1100
const probeMs = 600
const longestMs = 30_000
/** How late the engines may be asked: one timer looks after all requests, since one each costs more. */
const sweepMs = 100

interface Call {
  checks: Checks
  askAt: number
  until: number
  reject: (error: Error) => void
}

const calls = new Set<Call>()
let isSweeping = false

/**
 * A handler that takes long is either busy or waits for an engine that is gone. After a second the engines are
 * asked: when one does not answer, the caller hears so within two seconds; a slow report may go on.
 */
export function supervise<T>(work: Promise<T>, checks: Checks): Promise<T> {
  return new Promise((resolve, reject) => {
    const now = performance.now()
    const call = { checks, askAt: now + patienceMs, until: now + longestMs, reject }
    calls.add(call)
    if (!isSweeping) sweepLater()
    work.then(
      (result) => {
        calls.delete(call)
        resolve(result)
      },
      (error) => {
        calls.delete(call)
        reject(error)
      },
    )
  })
}

function sweepLater() {
  isSweeping = true
  setTimeout(sweep, sweepMs)
}

function sweep() {
  const now = performance.now()
  for (const call of calls) if (call.askAt <= now) void askFor(call)
  if (calls.size > 0) sweepLater()
  else isSweeping = false
}

async function askFor(call: Call) {
  call.askAt = Number.POSITIVE_INFINITY
  const states = Object.entries(await sharedProbe(call.checks, probeMs)) as [Engine, 'ok' | 'down'][]
  const now = performance.now()
  const down = states.find(([, state]) => state === 'down') ?? (now > call.until ? states[0] : undefined)
  if (!down) call.askAt = now + patienceMs
  else if (calls.delete(call)) call.reject(new EngineUnavailable(down[0]))
}
