import type { WriteStream } from 'node:tty'
import type { ReplayProgress } from '../postgres/stores/replays.ts'
import { progressBar } from './progress-bar.ts'

const lineEveryMs = 5000

/** A bar for a person, a line now and then for a log: messages, their rate and how long the rest will take. */
export function showReplay(out: Pick<WriteStream, 'isTTY' | 'write'>, { isQuiet }: { isQuiet: boolean }) {
  const began = Date.now()
  let first: number | undefined
  let phase: string | undefined
  let last = ''
  let saidAt = 0
  const bar = progressBar(out, 1)
  return {
    update: (progress: ReplayProgress) => {
      if (isQuiet) return
      const { messagesDone: done = 0, messagesTotal: total = 0, slicesDone = 0, slicesTotal = 0 } = progress
      first ??= done
      const rate = ((done - first) * 1000) / Math.max(1, Date.now() - began)
      const isReading = progress.phase === 'reading'
      const share = isReading ? done / Math.max(1, total) : slicesDone / Math.max(1, slicesTotal)
      const note = isReading
        ? `reading ${done} of ${total} messages, ${Math.round(rate)}/s${remaining(total - done, rate)}`
        : `${progress.phase}${progress.phase === 'deriving' ? ` slice ${slicesDone} of ${slicesTotal}` : ''}`
      if (out.isTTY) bar.update(share, note)
      else if (progress.phase !== phase || Date.now() - saidAt > lineEveryMs) {
        // A phase that ends between two lines is told with what it came to.
        if (progress.phase !== phase && last) out.write(`${last}\n`)
        out.write(`${note}\n`)
        saidAt = Date.now()
      }
      last = progress.phase === phase && saidAt < Date.now() ? note : ''
      phase = progress.phase
    },
    end: () => bar.end(),
  }
}

function remaining(messages: number, rate: number): string {
  if (rate <= 0 || messages <= 0) return ''
  const seconds = Math.round(messages / rate)
  return `, ${seconds >= 120 ? `${Math.round(seconds / 60)} min` : `${seconds} s`} left`
}
