import { logged } from './home.ts'
import { LaunchError } from './launch-error.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

export interface Foreground {
  stack: Stack
  /** Aborted by the signal that ends it. */
  interrupted: AbortSignal
  /** Resolves when everything has been stopped, after a signal or a call of `finish`. */
  finished: Promise<void>
  finish: () => Promise<void>
}

/** A stack that lives as long as this process: SIGINT, SIGTERM and SIGHUP stop it and leave nothing behind. */
export async function startUntilSignal(options: Omit<StackOptions, 'signal'>): Promise<Foreground | undefined> {
  const report = logged(options.home, options.report ?? (() => {}))
  const interrupted = new AbortController()
  let stack: Stack | undefined
  let stopping: Promise<void> | undefined
  const done = Promise.withResolvers<void>()
  // Where every engine is somebody else's there is no child to live for.
  const alive = setInterval(() => {}, 2 ** 30)
  const finish = () => {
    stopping ??= (stack?.stop() ?? Promise.resolve()).finally(() => {
      for (const signal of signals) process.off(signal, onSignal)
      clearInterval(alive)
      done.resolve()
    })
    return stopping
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (interrupted.signal.aborted) return
    report(`${signal}: stopping`)
    interrupted.abort()
    if (stack) finish().then(() => report('stopped'))
  }
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, onSignal)
  try {
    stack = await startStack({ ...options, signal: interrupted.signal })
    if (!interrupted.signal.aborted) {
      return { stack, interrupted: interrupted.signal, finished: done.promise, finish }
    }
    await finish()
  } catch (error) {
    await finish()
    if (!interrupted.signal.aborted) {
      if (!(error instanceof LaunchError)) throw error
      report(error.message)
      process.exitCode = 1
      return undefined
    }
  }
  report('stopped')
  process.exitCode = 130
  return undefined
}
