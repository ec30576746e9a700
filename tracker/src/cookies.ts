import { domainsOf } from './cookie-domains.ts'

export interface Jar {
  read(name: string): string | undefined
  /** On the widest domain that the browser takes; false when it takes none. */
  write(name: string, value: string, days: number): boolean
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
  const domains = ownDomain ? [ownDomain] : domainsOf(hostname)
  const put = (text: string) => cookie.set!.call(page.document, text)
  const put1 = (name: string, value: string, maxAge: number, domain: string) =>
    put(
      `${name}=${value};path=/;max-age=${maxAge};samesite=lax${domain && `;domain=${domain}`}${protocol === 'https:' ? ';secure' : ''}`,
    )
  let isRefused = false
  const read = (name: string): string | undefined => {
    try {
      const text: string = cookie.get!.call(page.document)
      return new RegExp(`(?:^|; )${name}=([^;]*)`).exec(text)?.[1]
    } catch {
      return undefined
    }
  }
  return {
    read,
    write(name, value, days) {
      try {
        for (const domain of domains) {
          put1(name, value, days * 86400, domain)
          if (read(name) === value) return true
        }
      } catch {
        // A sandboxed page has no cookies.
      }
      isRefused = true
      return false
    },
    remove(name) {
      try {
        for (const domain of domains.concat('')) put1(name, '', 0, domain)
      } catch {
        // Nothing there to remove.
      }
    },
    mark(name, days) {
      try {
        put1(name, '1', days * 86400, '')
      } catch {
        // As for any other cookie.
      }
    },
    isRefused: () => isRefused,
  }
}
