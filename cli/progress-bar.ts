import type { WriteStream } from 'node:tty'

export interface ProgressBar {
  update(done: number, note: string): void
  /** A line of its own, above the bar. */
  line(text: string): void
  end(): void
}

const width = 30
const redrawMs = 100

/** A bar where a person watches, nothing where a program does; without a total it shows the note alone. */
export function progressBar(out: Pick<WriteStream, 'isTTY' | 'write'>, total: number | undefined): ProgressBar {
  let shown = ''
  let drawnAt = 0
  const clear = () => {
    if (shown) out.write('\r\u001b[K')
  }
  return {
    update(done, note) {
      if (!out.isTTY) return
      const share = total ? Math.min(1, done / total) : undefined
      const filled = Math.round((share ?? 0) * width)
      const bar = `[${'█'.repeat(filled)}${' '.repeat(width - filled)}] ${String(Math.floor((share ?? 0) * 100)).padStart(3)} %  `
      shown = `${share === undefined ? '' : bar}${note}`
      if (Date.now() - drawnAt < redrawMs && share !== 1) return
      drawnAt = Date.now()
      out.write(`\r\u001b[K${shown}`)
    },
    line(text) {
      clear()
      out.write(`${text}\n${shown}`)
    },
    end() {
      if (shown) out.write(`\r\u001b[K${shown}\n`)
      shown = ''
    },
  }
}
