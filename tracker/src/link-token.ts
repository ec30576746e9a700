import { hrefOf } from './moment.ts'

/**
 * Takes the link token out of the address bar, so that nothing else on the page reads or sends it. What else the query
 * and the fragment hold stays as it is, to the letter.
 */
export function takeLinkToken(page: Window): string | undefined {
  return hrefOf(page).indexOf('svc_t') < 0 ? undefined : removeToken(page)
}

/** For an address that has one, or something like it. */
export function removeToken(page: Window): string | undefined {
  const { search, pathname, hash } = page.location
  let token: string | undefined
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => {
      if (!/^svc_t(=|$)/.test(pair)) return true
      if (!token) token = pair.slice(6)
      return false
    })
    .join('&')
  if (token === undefined) return undefined
  try {
    History.prototype.replaceState.call(page.history, page.history.state, '', pathname + (kept && `?${kept}`) + hash)
  } catch {
    // A page that may not change its own address keeps it; the token is used all the same.
  }
  return token && decode(token)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
