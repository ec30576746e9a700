import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openSite, type Site, type Visit } from './site.ts'

/** The site of a test file: opened before its tests. Each test's visit ends with it, and no page of it saw an error. */
export function siteOfFile(): Omit<Site, 'close'> {
  let site: Site
  let visit: Visit | undefined
  beforeAll(async () => {
    site = await openSite()
  })
  afterEach(async () => {
    const ended = visit
    visit = undefined
    expect(ended?.errors).toEqual([])
    await ended?.close()
  })
  afterAll(() => site.close())
  return {
    get built() {
      return site.built
    },
    get collector() {
      return site.collector
    },
    get world() {
      return site.world
    },
    async visit(...args) {
      visit = await site.visit(...args)
      return visit
    },
  }
}
