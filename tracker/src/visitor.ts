import type { Jar } from './cookies.ts'
import type { Keeper } from './keeper.ts'
import { storage } from './storage.ts'
import { uuid } from './uuid.ts'

const name = '_tl_vid'
const dayMs = 86_400_000

export interface Visitor {
  /** The browser's id; made and kept on the first call. */
  id(): string
  isKnown(): boolean
  forget(): void
}

/** Where the browser keeps nothing, an id lives as long as the page. */
export function openVisitor(jar: Jar, keeper: Keeper, days: number): Visitor {
  let unkept: string | undefined
  const read = () => {
    const [id, since] = (keeper.read(name) || '').split('.')
    return id && /^[\w-]{8,64}$/.test(id) ? { id, since: Number(since) } : undefined
  }
  return {
    id() {
      const known = read()
      const today = Math.floor(Date.now() / dayMs)
      // The cookie's life starts again on every day it is used; a write costs, so only once a day.
      if (known && known.since === today) return known.id
      // One that was kept and is gone has been forgotten, here or in another tab: it never comes back.
      const id = known ? known.id : unkept || uuid()
      const value = `${id}.${today}`
      unkept = undefined
      if (jar.write(name, value, days)) return id
      // Only now known: what an earlier page kept elsewhere stands.
      const stored = read()
      if (stored) return stored.id
      if (!storage.set(name, value)) unkept = id
      return id
    },
    isKnown: () => read() !== undefined,
    forget() {
      unkept = undefined
      keeper.remove(name)
    },
  }
}
