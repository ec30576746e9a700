import type { Command } from 'commander'
import { loadConfig } from '../infra/config.ts'
import type { ReplayDeps } from '../processors/replay/deps.ts'
import { ReplayRefused } from '../processors/replay/replay.ts'
import { openReplay } from '../services/replay.ts'
import { absentEngine, sentenceOf } from './failure.ts'

/** Runs a command on the replay's engines; Ctrl-C ends it at a safe place, whatever is wrong is one sentence. */
export async function withReplay(command: Command, work: (deps: ReplayDeps) => Promise<void>): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new Error('interrupted'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const deps = await openReplay(loadConfig(), { signal: stopping.signal, onProgress: undefined })
  let sentence: string | undefined
  try {
    await work(deps)
  } catch (error) {
    sentence = stopping.signal.aborted ? 'stopped: the same command goes on where it was.' : describe(error)
    if (sentence === undefined) throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await deps.close()
  }
  if (sentence) command.error(`error: ${sentence}`, { exitCode: stopping.signal.aborted ? 130 : 1 })
}

function describe(error: unknown): string | undefined {
  if (error instanceof ReplayRefused) return error.message
  const engine = absentEngine(error)
  return engine ? `${engine} does not answer; the same command goes on where it was when it does.` : sentenceOf(error)
}
