export interface Terminal {
  isTTY?: boolean
  write(text: string): unknown
}

const redrawMs = 100
const lineMs = 5000

/** One line a step: rewritten where a person watches, repeated now and then where a log is kept. */
export async function step<T>(
  out: Terminal,
  label: string,
  total: number | undefined,
  work: (onProgress: (done: number, note?: string) => void) => Promise<T>,
): Promise<T> {
  const began = Date.now()
  let drawnAt = out.isTTY ? 0 : began
  const line = (text: string, isLast: boolean) =>
    out.write(out.isTTY ? `\r\u001b[K${text}${isLast ? '\n' : ''}` : `${text}\n`)
  const onProgress = (done: number, note = '') => {
    const now = Date.now()
    if (now - drawnAt < (out.isTTY ? redrawMs : lineMs)) return
    drawnAt = now
    const rate = Math.round((done * 1000) / Math.max(1, now - began))
    line(
      `${label}: ${total === undefined ? note : `${count(done)} of ${count(total)}, ${count(rate)} a second`}`,
      false,
    )
  }
  const result = await work(onProgress)
  const seconds = (Date.now() - began) / 1000
  const rate = total === undefined ? '' : `, ${count(Math.round(total / Math.max(0.001, seconds)))} a second`
  line(`${label}${total === undefined ? '' : `: ${count(total)}`} (${seconds.toFixed(1)} s${rate})`, true)
  return result
}

export const count = (value: number) => value.toLocaleString('en-US')
