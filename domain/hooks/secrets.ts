import { randomBytes } from 'node:crypto'
import { deriveKey, keyLabels, open, seal } from '../sealing.ts'
import { standardKey } from './signatures.ts'

/** Secrets that providers sign with, and payloads that name nobody, under keys of their own. */
export interface HookSeals {
  sealSecret(endpointId: string, secret: string): Buffer
  openSecret(endpointId: string, sealed: Buffer): string
  sealPayload(deliveryId: string, payload: Buffer): Buffer
  openPayload(deliveryId: string, sealed: Buffer): Buffer
}

export function hookSeals(rootSecret: Buffer): HookSeals {
  const secretKey = deriveKey(rootSecret, keyLabels.hookSecret)
  const payloadKey = deriveKey(rootSecret, keyLabels.hookPayload)
  return {
    sealSecret: (endpointId, secret) => seal(secretKey, endpointId, secret),
    openSecret: (endpointId, sealed) => open(secretKey, endpointId, sealed).toString(),
    sealPayload: (deliveryId, payload) => seal(payloadKey, deliveryId, payload),
    openPayload: (deliveryId, sealed) => open(payloadKey, deliveryId, sealed),
  }
}

/** For providers that let us choose. */
export const newHookSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`

const shortestKeyBytes = 16

/** A secret that a provider gave out; a Standard Webhooks one must be a key long enough to sign with. */
export const isHookSecret = (provider: string, secret: string): boolean =>
  /^[!-~]{16,255}$/.test(secret) &&
  (provider !== 'generic' ||
    (/^whsec_[A-Za-z0-9+/]+=*$/.test(secret) && standardKey(secret).length >= shortestKeyBytes))
