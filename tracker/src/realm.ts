import { openTracker } from './tracker.ts'

/** What is to be known of the script's own element to load it once more. */
export interface OwnElement {
  src: string
  text?: string
  nonce?: string | undefined
  settings?: string | null
}

type Open = (open: typeof openTracker) => void

const marker = '__touchline'

/** Inside the frame: the script is there for the page that has loaded it. */
export function handedOver(open: typeof openTracker): boolean {
  const given = (window as unknown as Record<string, Open | undefined>)[marker]
  given?.(open)
  return Boolean(given)
}

export function readElement(): OwnElement {
  const element = document.currentScript as HTMLScriptElement | null
  if (!element) return { src: '' }
  const { src, nonce } = element
  return { src, nonce, text: src ? '' : element.text, settings: element.getAttribute('data-touchline') }
}

/**
 * A page may have replaced what every script stands on: old libraries give arrays a `toJSON`, tests freeze the clock.
 * Then the script runs again inside an empty frame, whose built-ins nobody has touched, and works on the page from there.
 */
export function inSoundRealm(element: OwnElement, use: Open): void {
  if (isSound() || !(element.src || element.text)) use(openTracker)
  else runInFrame(element, use)
}

function runInFrame({ src, text, nonce = nonceOf(src) }: OwnElement, use: Open) {
  const frame = document.createElement('iframe')
  frame.style.display = 'none'
  frame.setAttribute('aria-hidden', 'true')
  frame.onload = () => {
    frame.onload = null
    try {
      const inside = frame.contentWindow as unknown as Record<string, Open>
      inside[marker] = use
      const inner = frame.contentDocument!
      const script = inner.createElement('script')
      if (nonce) script.nonce = nonce
      if (src) script.src = src
      else script.text = text!
      inner.documentElement.appendChild(script)
    } catch {
      // A page that forbids frames as well is not tracked.
    }
  }
  document.documentElement.appendChild(frame)
}

function nonceOf(src: string): string | undefined {
  const { scripts } = document
  for (let at = 0; at < scripts.length; at++) if (scripts[at]!.src === src) return scripts[at]!.nonce
  return undefined
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
