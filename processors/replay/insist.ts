import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../infra/error-code.ts'
import type { ReplayDeps } from './deps.ts'

const attempts = 7
const firstMs = 500

/** Tries a step again while an engine restarts. Every step of a replay can be run twice. */
export const insistent =
  ({ signal, logger }: Pick<ReplayDeps, 'signal' | 'logger'>) =>
  async <T>(step: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await step()
      } catch (error) {
        if (signal.aborted || attempt === attempts) throw error
        logger?.warn({ attempt, code: codeOf(error) }, 'a step of the replay failed: trying again')
        await sleep(firstMs * 2 ** (attempt - 1), undefined, { signal })
      }
    }
  }
