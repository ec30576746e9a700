/** When and where something happened. It may be told much later, and is told as it was then. */
export interface Moment {
  at: number
  href: string
}

export const momentOf = (page: Window): Moment => ({ at: now(), href: hrefOf(page) })

/** The document says it for a fraction of what the first use of `location` costs; an element may stand under the name. */
export function hrefOf(page: Window): string {
  const href = page.document.URL
  return typeof href === 'string' ? href : page.location.href
}

/** A page may have taken the clock away; what it says is looked at again before it is told. */
function now(): number {
  try {
    return Date.now()
  } catch {
    return 0
  }
}
