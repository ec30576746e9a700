/** The parts of an address, as `location` has them. */
export function partsOf(href: string) {
  const [, pathname = '', search = '', hash = ''] = /^\w+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?(#.*)?/.exec(href) || []
  return { pathname, search, hash }
}

const withoutMail = (path: string) => path.replace(/[^/]*(@|%40)[^/]*/gi, ':email')

/** The address of a page as it is sent. With `isHashRoute` a path in the fragment belongs to the page's path. */
export function reduceAddress(origin: string, href: string, isHashRoute: boolean): string {
  const { pathname, search, hash } = partsOf(href)
  // What says where a visit came from. Everything else in a query may be about a person and stays in the browser.
  const kept = /^(utm_\w+|\w*clid|\w*braid|gad_source|li_fat_id|svc_(campaign|ad_set|ad)_id)$/i
  const query = search
    .slice(1)
    .split('&')
    .filter((pair) => kept.test(pair.split('=')[0]!))
    .join('&')
  const route = isHashRoute ? /^#!?(\/[^?#]*)/.exec(hash) : null
  const path = route ? pathname.replace(/\/$/, '') + route[1] : pathname
  return origin + withoutMail(path) + (query && `?${query}`)
}

export const reduceReferrer = (referrer: string): string =>
  referrer.replace(/[?#].*/, '').replace(/(\w)\/.*/, withoutMail)
