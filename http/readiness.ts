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
    const look = async () => {
      const states = Object.entries(await probe(checks, probeMs)) as [Engine, 'ok' | 'down'][]
      const down = states.find(([, state]) => state === 'down') ?? (Date.now() > until ? states[0] : undefined)
      if (down) reject(new EngineUnavailable(down[0]))
      else timer = setTimeout(look, patienceMs)
    }
    let timer = setTimeout(look, patienceMs)
    work.then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
