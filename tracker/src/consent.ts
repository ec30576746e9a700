import type { Keeper } from './keeper.ts'
import type { Settings } from './settings.ts'

export type Consent = 'granted' | 'denied' | 'waiting'

export const choiceName = '_tl_c'

/** The browser says no for every site, and this one listens. */
export function isRefused(page: Window, settings: Settings): boolean {
  const signals = page.navigator as Navigator & { globalPrivacyControl?: boolean; doNotTrack?: string | null }
  return Boolean((settings.gpc && signals.globalPrivacyControl) || (settings.dnt && signals.doNotTrack === '1'))
}

const byDefault = ({ consent }: Settings): Consent => (consent === 'required' ? 'waiting' : 'granted')

/** The browser's own signals come first, then the visitor's choice on this site, then the site's default. */
export function consentOf(
  page: Window,
  settings: Settings,
  choice: string | undefined,
  otherwise = byDefault(settings),
): Consent {
  if (isRefused(page, settings)) return 'denied'
  return choice ? (choice === '1' ? 'granted' : 'denied') : otherwise
}

export interface Choice {
  /** As it stands this moment: another tab may have changed it. */
  now(): Consent
  make(isGranted: boolean): void
}

export function openChoice(page: Window, settings: Settings, keeper: Keeper): Choice {
  const isRequired = settings.consent === 'required'
  let last = byDefault(settings)
  let isKept = true
  return {
    now() {
      const kept = keeper.read(choiceName)
      // Given on this page, and gone: withdrawn on another.
      if (!kept && isRequired && isKept && last === 'granted') last = 'denied'
      last = consentOf(page, settings, kept, last)
      return last
    },
    make(isGranted) {
      last = isGranted ? 'granted' : 'denied'
      // A refusal is kept only where consent is the default: elsewhere the next page asks again, with nothing stored.
      if (isGranted || !isRequired) isKept = keeper.write(choiceName, isGranted ? '1' : '0', settings.days || 395)
      else keeper.remove(choiceName)
    },
  }
}
