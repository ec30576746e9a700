import { hrefOf } from './moment.ts'

/**
 * Takes the link token out of the address bar, so that nothing else on the page reads or sends it. What else the query
 * and the fragment hold stays as it is, to the letter.
 */
export function takeLinkToken(page: Window): string | undefined {
  return hrefOf(page).indexOf('svc_t') < 0 ? undefined : removeToken(page)
}

/** For an address that has one, or something like it. As it stands there: every page carries this, so it is short. */
export function removeToken({ location, history }: Window): string | undefined {
  let token: string | undefined
  const query = location.search
    .replace(/[?&]svc_t(=[^&]*)?(?![^&])/g, (_, value = '=') => {
      token = token || value.slice(1)
      return ''
    })
    .slice(1)
  try {
    if (token !== undefined)
      History.prototype.replaceState.call(
        history,
        history.state,
        '',
        location.pathname + (query && '?') + query + location.hash,
      )
  } catch {
    // A page that may not change its own address keeps it; the token is used all the same.
  }
  return token
}

export function decodeToken(token: string | undefined): string | undefined {
  try {
    return token && decodeURIComponent(token)
  } catch {
    return token
  }
}
