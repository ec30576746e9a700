import type { Jar } from './cookies.ts'
import { storage } from './storage.ts'
import { uuid } from './uuid.ts'

const name = '_tl_vid'
const dayMs = 86_400_000

export interface Visitor {
  /** The browser's id; made and kept on the first call. */
  id(): string
  forget(): void
}

/** A cookie where there are any, else local storage, which is slow to open, else as long as the page lives. */
export function openVisitor(jar: Jar, days: number): Visitor {
  let unkept: string | undefined
  const parse = (value: string | null | undefined) => {
    const [id, since] = (value || '').split('.')
    return id && /^[\w-]{8,64}$/.test(id) ? { id, since: Number(since) } : undefined
  }
  return {
    id() {
      const known = parse(jar.read(name))
      const today = Math.floor(Date.now() / dayMs)
      // The cookie's life starts again on every day it is used; a write costs, so only once a day.
      if (known && known.since === today) return known.id
      if (!unkept) unkept = uuid()
      const id = known ? known.id : unkept
      if (jar.write(name, `${id}.${today}`, days)) return id
      const stored = parse(storage.get(name))
      if (stored) return stored.id
      storage.set(name, `${id}.${today}`)
      return id
    },
    forget() {
      unkept = undefined
      jar.remove(name)
      storage.remove(name)
    },
  }
}
