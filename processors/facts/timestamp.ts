let second = Number.NaN
let text = ''

/** Epoch milliseconds as ClickHouse reads a DateTime64(3). Facts come in order of time: most share their second. */
export function timestamp(ms: number): string {
  const at = Math.trunc(ms)
  const whole = Math.floor(at / 1000)
  if (whole !== second) {
    text = `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}.`
    second = whole
  }
  return text + String(at - whole * 1000).padStart(3, '0')
}

/** Epoch days as ClickHouse reads a Date. */
export const day = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10)
