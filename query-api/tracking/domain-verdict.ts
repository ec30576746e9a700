import { isIP } from 'node:net'
import type { DomainRecords } from '../../infra/domain-records.ts'
import type { CustomDomain, DomainCheck } from '../../postgres/stores/custom-domains.ts'

/** Only who controls the zone can publish it: a name that points here may be anybody's. */
export const ownershipText = (token: string): string => `touchline-verify=${token}`

interface DnsRecord {
  type: 'TXT' | 'CNAME'
  name: string
  value: string
}

export function dnsRecords(
  { host, token }: Pick<CustomDomain, 'host' | 'token'>,
  trackerUrl: string,
): [DnsRecord, DnsRecord] {
  return [
    { type: 'TXT', name: `_touchline.${host}`, value: ownershipText(token) },
    { type: 'CNAME', name: host, value: new URL(trackerUrl).hostname },
  ]
}

/** What the name servers say now, and what follows from it. */
export async function domainVerdict(
  records: DomainRecords,
  domain: Pick<CustomDomain, 'host' | 'token'>,
  trackerUrl: string,
): Promise<{ status: 'verified' | 'failed'; checks: DomainCheck[] }> {
  const [text, target] = dnsRecords(domain, trackerUrl)
  const [texts, pointers, wanted] = await Promise.all([
    records.txt(text.name),
    pointersOf(records, target.name, target.value),
    acceptedPointers(records, target.value),
  ])
  const checks: DomainCheck[] = [
    { record: 'TXT', name: text.name, expected: text.value, found: shown(texts), ok: texts.includes(text.value) },
    {
      record: 'CNAME',
      name: target.name,
      expected: target.value,
      found: shown(pointers),
      ok: pointers.some((pointer) => wanted.includes(pointer)),
    },
  ]
  return { status: checks.every(({ ok }) => ok) ? 'verified' : 'failed', checks }
}

/** The names that a host leads to. Where ours is not among them, an alias may have been written as addresses. */
async function pointersOf(records: DomainRecords, host: string, target: string): Promise<string[]> {
  const names = await namesBehind(records, host, target)
  return names.at(-1) === target ? names : [...names, ...(await records.addresses(host))]
}

const mostNames = 8

/** One name leads to the next, until ours or the last; a zone may be written as a circle. */
async function namesBehind(records: DomainRecords, host: string, target: string): Promise<string[]> {
  const names: string[] = []
  for (let name = host; name !== target && names.length < mostNames; ) {
    const [next] = (await records.cname(name)).map(lower)
    if (next === undefined || names.includes(next)) break
    names.push(next)
    name = next
  }
  return names
}

async function acceptedPointers(records: DomainRecords, target: string): Promise<string[]> {
  const address = target.replace(/^\[|\]$/g, '')
  return isIP(address) ? [address] : [target, ...(await records.addresses(target))]
}

const lower = (name: string) => name.toLowerCase().replace(/\.$/, '')
const shown = (found: string[]) => found.slice(0, 10).map((text) => text.slice(0, 255))
