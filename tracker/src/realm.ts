/** The page that is tracked, and the script element that asked for it. */
export interface Start {
  page: Window
  script: { src: string; text: string; nonce: string; settings: string | null } | null
}

const marker = '__touchline'

/**
 * A page may have replaced what every script stands on: old libraries give arrays a `toJSON`, tests freeze the clock.
 * Then the script runs again inside an empty frame, whose built-ins nobody has touched, and works on the page from there.
 */
export function inSoundRealm(start: (from: Start) => void): void {
  const given = (window as unknown as Record<string, Start | undefined>)[marker]
  if (given) {
    start(given)
    return
  }
  const element = document.currentScript as HTMLScriptElement | null
  const script = element && {
    src: element.src,
    text: element.src ? '' : element.text,
    nonce: element.nonce || '',
    settings: element.getAttribute('data-touchline'),
  }
  const from: Start = { page: window, script }
  if (isSound() || !script) start(from)
  else runInFrame(from, script)
}

function runInFrame(from: Start, { src, text, nonce }: NonNullable<Start['script']>) {
  const frame = document.createElement('iframe')
  frame.style.display = 'none'
  frame.setAttribute('aria-hidden', 'true')
  frame.onload = () => {
    frame.onload = null
    try {
      const inside = frame.contentWindow as unknown as Record<string, Start>
      inside[marker] = from
      const inner = frame.contentDocument!
      const script = inner.createElement('script')
      if (nonce) script.nonce = nonce
      if (src) script.src = src
      else script.text = text
      inner.documentElement.appendChild(script)
    } catch {
      // A page that forbids frames as well is not tracked.
    }
  }
  document.documentElement.appendChild(frame)
}

/** A timer that was set; it need not go off. */
function isTimer(timer: ReturnType<typeof setTimeout> | undefined): boolean {
  clearTimeout(timer)
  return timer !== undefined
}

/** Tries what the script uses; a wrapper that still does its work is no reason to leave the page's realm. */
function isSound(): boolean {
  try {
    const now = Date.now()
    return (
      JSON.stringify({ a: [1, '"'] }) === '{"a":[1,"\\""]}' &&
      JSON.parse('{"a":[1]}').a[0] === 1 &&
      [3, 1].map(String).concat('2').filter(Boolean).slice(1).join('-') === '1-2' &&
      'a=b&c'.split('&')[0]!.replace(/a./, '') === 'b' &&
      'abc'.slice(-2).indexOf('c') === 1 &&
      /^(b)$/.exec('b')![1] === 'b' &&
      now > 1.7e12 &&
      Math.abs(performance.timeOrigin + performance.now() - now) < 36e5 * 24 &&
      Math.floor(Math.random() + Math.min(1, 2)) === 1 &&
      isTimer(setTimeout(() => {}, 0))
    )
  } catch {
    return false
  }
}
