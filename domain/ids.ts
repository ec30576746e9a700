import { hash } from 'node:crypto'
import type { Level } from './models.ts'

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The id of nobody and nothing: what a column that has no null says then. */
export const noId = '00000000-0000-0000-0000-000000000000'

export const isUuid = (value: string): boolean => uuidShape.test(value)

const namespaceBytes = 16
// Names are short, and most calls are of one profile: its bytes stay where the next name is written behind them.
const scratch = Buffer.alloc(1024)
const maxNameInScratch = Math.floor((scratch.length - namespaceBytes) / 3)
let namespaceInScratch = ''

function joined(namespace: string, name: string): Buffer {
  if (namespace !== namespaceInScratch) {
    const isWhole = scratch.write(namespace.replaceAll('-', ''), 0, namespaceBytes, 'hex') === namespaceBytes
    namespaceInScratch = isWhole && isUuid(namespace) ? namespace : ''
  }
  return namespaceInScratch === '' || name.length > maxNameInScratch
    ? Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)])
    : scratch.subarray(0, namespaceBytes + scratch.write(name, namespaceBytes))
}

/** A UUIDv5: the same name in the same namespace is the same id, on every machine and in every replay. */
export function uuidv5(namespace: string, name: string): string {
  const hex = hash('sha1', joined(namespace, name), 'hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A part with another behind it: whatever it holds, two different pairs never read the same. */
const part = (text: string) => (/[%:]/.test(text) ? text.replaceAll('%', '%25').replaceAll(':', '%3A') : text)

/** Deterministic ids, each from the profile, the source and the source's own key. */
export const ids = {
  visitor: (profile: string, visitorId: string) => uuidv5(profile, `visitor:${visitorId}`),
  hit: (profile: string, visitorId: string, eventId: string) => uuidv5(profile, `hit:${part(visitorId)}:${eventId}`),
  serverEvent: (profile: string, idempotencyKey: string) => uuidv5(profile, `event:${idempotencyKey}`),
  trackerOutcome: (profile: string, hitId: string) => uuidv5(profile, `tracker:${hitId}`),
  crmOutcome: (profile: string, provider: string, externalId: string) =>
    uuidv5(profile, `crm:${part(provider)}:${externalId}`),
  payment: (profile: string, provider: string, externalId: string) =>
    uuidv5(profile, `payment:${part(provider)}:${externalId}`),
  conversion: (profile: string, outcomeId: string) => uuidv5(profile, `conversion:${outcomeId}`),
  entity: (profile: string, level: Level, platform: string, externalId: string) =>
    uuidv5(profile, `${level}:${part(platform)}:${externalId}`),
}
