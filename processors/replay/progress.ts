import type pg from 'pg'
import { advanceReplay, type Replay, type ReplayProgress } from '../../postgres/stores/replays.ts'
import type { FeedProgress } from './feed.ts'

export interface ProgressReport {
  phase(phase: string): Promise<void>
  messages(progress: FeedProgress): void
  slices(done: number, total: number): void
  current(): ReplayProgress
}

const storeEveryMs = 1000

/** What is done so far, told at once to who watches here and every second to who asks elsewhere. */
export function reportProgress(
  postgres: pg.Pool,
  replay: Replay,
  onProgress: ((progress: ReplayProgress) => void) | undefined,
): ProgressReport {
  // A replay that was taken up again counts on from where it was.
  const before = replay.messagesDone
  let now: ReplayProgress = { phase: replay.phase, messagesDone: before, messagesTotal: replay.messagesTotal }
  let storedAt = 0
  const tell = (next: ReplayProgress) => {
    now = { ...now, ...next }
    onProgress?.(now)
    if (Date.now() - storedAt < storeEveryMs) return
    storedAt = Date.now()
    // Only a display: one that is missed is made good by the next.
    advanceReplay(postgres, replay.id, now).catch(() => {})
  }
  return {
    phase: async (phase) => {
      tell({ phase })
      await advanceReplay(postgres, replay.id, now)
    },
    messages: ({ done, remaining }) => tell({ messagesDone: before + done, messagesTotal: before + done + remaining }),
    slices: (done, total) => tell({ slicesDone: done, slicesTotal: total }),
    current: () => now,
  }
}
