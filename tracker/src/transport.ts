/** Told once: the status of the answer, 0 when there was none, and how long the collector asks to wait. */
export type OnAnswer = (status: number, retryAfterSeconds: number) => void

const patienceMs = 30_000
// Browsers refuse larger bodies that outlive their page.
const outlivesPage = 60_000

/** A page may have broken one way of sending; every other attempt takes the other one. */
export function post(url: string, body: string, attempt: number, onAnswer: OnAnswer): void {
  let isDone = false
  const answer: OnAnswer = (status, wait) => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    onAnswer(status, wait)
  }
  const timer = setTimeout(() => answer(0, 0), patienceMs)
  try {
    if (attempt % 2 === 0 && typeof fetch === 'function') {
      const keepalive = body.length < outlivesPage
      // A plain text needs no preflight.
      fetch(url, { method: 'POST', body, keepalive, credentials: 'omit' }).then(
        (response) => answer(response.status, response.ok ? 0 : Number(response.headers.get('retry-after')) || 0),
        () => answer(0, 0),
      )
      return
    }
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.onloadend = () => answer(request.status, Number(request.getResponseHeader('retry-after')) || 0)
    request.send(body)
  } catch {
    answer(0, 0)
  }
}

/** Whether the browser has taken it over; it sends it even when the page is gone. */
export function beacon(page: Window, url: string, body: string): boolean {
  try {
    return Navigator.prototype.sendBeacon.call(page.navigator, url, body)
  } catch {
    return false
  }
}
