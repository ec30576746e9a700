import type { Jar } from './cookies.ts'
import type { Settings } from './settings.ts'

export type Consent = 'granted' | 'denied' | 'waiting'

export const choiceName = '_tl_c'

/** The browser says no for every site, and this one listens. */
export function isRefused(page: Window, settings: Settings): boolean {
  const signals = page.navigator as Navigator & { globalPrivacyControl?: boolean; doNotTrack?: string | null }
  return Boolean((settings.gpc && signals.globalPrivacyControl) || (settings.dnt && signals.doNotTrack === '1'))
}

/** The browser's own signals come first, then the visitor's choice on this site, then the site's default. */
export function readConsent(page: Window, settings: Settings, jar: Pick<Jar, 'read'>): Consent {
  if (isRefused(page, settings)) return 'denied'
  const choice = jar.read(choiceName)
  if (choice) return choice === '1' ? 'granted' : 'denied'
  return settings.consent === 'required' ? 'waiting' : 'granted'
}

/** A refusal is kept only where consent is the default: elsewhere the next page asks again, with nothing stored. */
export function keepChoice(isGranted: boolean, { consent, days = 395 }: Settings, jar: Jar): void {
  if (isGranted || consent !== 'required') jar.write(choiceName, isGranted ? '1' : '0', days)
  else jar.remove(choiceName)
}
