import { Resolver } from 'node:dns/promises'

/** What name servers say about a name; nothing when they say that there is nothing. */
export interface DomainRecords {
  txt(name: string): Promise<string[]>
  cname(name: string): Promise<string[]>
  addresses(name: string): Promise<string[]>
}

/** No name server gave an answer, so that nothing is known. */
export class DnsUnavailable extends Error {}

const nothing = new Set(['ENOTFOUND', 'ENODATA'])

/** Asked at each call, with no cache of ours: whoever has just changed a record wants to see it. */
export function domainRecords({ servers }: { servers?: readonly string[] | undefined } = {}): DomainRecords {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (servers) resolver.setServers(servers)
  const ask = async <T>(answer: Promise<T[]>): Promise<T[]> => {
    try {
      return await answer
    } catch (error) {
      if (nothing.has((error as { code: string }).code)) return []
      throw new DnsUnavailable('The name servers do not answer.', { cause: error })
    }
  }
  return {
    txt: async (name) => (await ask(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    cname: (name) => ask(resolver.resolveCname(name)),
    addresses: async (name) => (await Promise.all([ask(resolver.resolve4(name)), ask(resolver.resolve6(name))])).flat(),
  }
}
