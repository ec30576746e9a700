import type { Jar } from './cookies.ts'
import { storage } from './storage.ts'

export interface Keeper {
  read(name: string): string | undefined
  /** False when the browser keeps nothing. */
  write(name: string, value: string, days: number): boolean
  remove(name: string): void
}

/** A cookie where there are any, else local storage, which is slow to open. */
export const openKeeper = (jar: Jar): Keeper => ({
  read: (name) => jar.read(name) || (jar.isRefused() && storage.get(name)) || undefined,
  write: (name, value, days) => jar.write(name, value, days) || storage.set(name, value),
  remove(name) {
    jar.remove(name)
    storage.remove(name)
  },
})
