import { domainsOf } from './cookie-domains.ts'

export interface Jar {
  read(name: string): string | undefined
  /** On the settings' domain or the widest that the browser takes, else for this host; false when it takes none. */
  write(name: string, value: string, days: number): boolean
  /** From every domain, whatever the settings were when it was written. */
  remove(name: string): void
  /** For this host alone, like its local storage. */
  mark(name: string, days: number): void
  /** Whether the browser has refused a cookie. */
  isRefused(): boolean
}

/** The page's cookies, through the browser's own accessor: a page may have put another in its place. */
export function openJar(page: Window, ownDomain: string | null | undefined): Jar {
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!
  const { hostname, protocol } = page.location
  const every = domainsOf(hostname)
  const domains = ownDomain ? [ownDomain, ''] : every
  let isRefused = page.navigator.cookieEnabled === false

  /** A sandboxed page has no cookies: even to ask fails. */
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch {
      isRefused = true
      return undefined
    }
  }
  const put = (name: string, value: string, maxAge: number, domain: string) =>
    attempt(() =>
      cookie.set!.call(
        page.document,
        `${name}=${value};path=/;max-age=${maxAge};samesite=lax${domain && `;domain=${domain}`}${protocol === 'https:' ? ';secure' : ''}`,
      ),
    )
  const read = (name: string): string | undefined =>
    attempt(() => new RegExp(`(?:^|; )${name}=([^;]*)`).exec(cookie.get!.call(page.document))?.[1])
  const remove = (name: string) => {
    for (const domain of every.concat(ownDomain || [])) put(name, '', 0, domain)
  }
  const write = (name: string, value: string, days: number): boolean =>
    domains.some((domain) => {
      put(name, value, days * 86_400, domain)
      return read(name) === value
    })
  return {
    read,
    write(name, value, days) {
      if (write(name, value, days)) return true
      // One that earlier settings put on another domain may stand before it.
      remove(name)
      const isTaken = write(name, value, days)
      if (!isTaken) isRefused = true
      return isTaken
    },
    remove,
    mark: (name, days) => put(name, '1', days * 86_400, ''),
    isRefused: () => isRefused,
  }
}
