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

/** A cookie where there are any, else local storage, else as long as the page lives. */
export function openVisitor(jar: Jar, days: number): Visitor {
  let unkept: string | undefined
  return {
    id() {
      const [known, since] = (jar.read(name) || storage.get(name) || '').split('.')
      const today = Math.floor(Date.now() / dayMs)
      if (!unkept) unkept = uuid()
      const id = known && /^[\w-]{8,64}$/.test(known) ? known : unkept
      // The cookie's life starts again on every day it is used; a write costs, so only once a day.
      if (id !== known || Number(since) !== today) {
        const value = `${id}.${today}`
        if (!jar.write(name, value, days)) storage.set(name, value)
      }
      return id
    },
    forget() {
      unkept = undefined
      jar.remove(name)
      storage.remove(name)
    },
  }
}
