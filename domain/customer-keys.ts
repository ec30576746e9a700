import { normalise } from './identifiers.ts'

/** A caller's own key as those may see it who may not read persons: one that is an e-mail or a phone is a person. */
export const impersonalKey = (key: string | null): string | null =>
  key === null || normalise('email', key).ok || normalise('phone', key).ok ? null : key
