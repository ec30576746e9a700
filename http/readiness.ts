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

/**
 * A handler that takes long is either busy or waits for an engine that is gone. After a second the engines are
 * asked: when one does not answer, the caller hears so within two seconds; a slow report may go on.
 */
export function supervise<T>(work: Promise<T>, checks: Checks): Promise<T> {
  return new Promise((resolve, reject) => {
    const until = Date.now() + longestMs
    let isDone = false
    const look = async () => {
      const states = Object.entries(await sharedProbe(checks, probeMs)) as [Engine, 'ok' | 'down'][]
      const down = states.find(([, state]) => state === 'down') ?? (Date.now() > until ? states[0] : undefined)
      if (isDone) return
      if (down) reject(new EngineUnavailable(down[0]))
      else timer = setTimeout(look, patienceMs)
    }
    let timer = setTimeout(look, patienceMs)
    const stopLooking = () => {
      isDone = true
      clearTimeout(timer)
    }
    work.then(
      (result) => {
        stopLooking()
        resolve(result)
      },
      (error) => {
        stopLooking()
        reject(error)
      },
    )
  })
}
