/** Local storage where there is any; a browser may refuse even to be asked. */
const attempt = <T>(work: (area: Storage) => T): T | undefined => {
  try {
    return work(localStorage)
  } catch {
    return undefined
  }
}

export const storage = {
  get: (key: string): string | null | undefined => attempt((area) => area.getItem(key)),
  set: (key: string, value: string): boolean =>
    attempt((area) => {
      area.setItem(key, value)
      return true
    }) || false,
  remove: (key: string): void => void attempt((area) => area.removeItem(key)),
  keys: (prefix: string): string[] =>
    attempt((area) => {
      const found: string[] = []
      for (let at = 0; at < area.length; at++) {
        const key = area.key(at)
        if (key && key.indexOf(prefix) === 0) found.push(key)
      }
      return found
    }) || [],
}
