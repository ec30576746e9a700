import { describe, expect, it } from 'vitest'
import type { Site, Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

/** Browsers tell of a navigation, or, the older ones, have their history's functions wrapped. */
describe.each([
  ['with the navigation interface', ''],
  ['without it', '<script>Object.defineProperty(window, "navigation", { value: undefined })</script>'],
])('a single-page site, in a browser %s', (_name, before) => {
  const open = async (settings: Parameters<Site['visit']>[0] = {}) => {
    visit = await site.visit(settings)
    visit.show('/shop', before + visit.snippet)
    await visit.page.goto(visit.url('/shop?utm_source=meta&gclid=G1'))
    await visit.hits(1)
  }
  /** Each step in a task of its own, as a visitor would take it. */
  const steps = async (...code: string[]) => {
    for (const one of code) {
      await visit.page.evaluate(one)
      await visit.page.evaluate('new Promise((resolve) => setTimeout(() => setTimeout(resolve, 2), 2))')
    }
    await visit.page.evaluate('touchline.track("end")')
  }
  const paths = async (count: number) =>
    (await visit.hits(count)).filter((hit) => hit.event_type === 'page_view').map((hit) => hit.path)

  it('counts every page once, with the page before it as its referrer', async () => {
    await open()
    await steps('history.pushState(null, "", "/shop/a")', 'history.pushState(null, "", "/shop/b")', 'history.back()')
    expect(await paths(5)).toEqual(['/shop', '/shop/a', '/shop/b', '/shop/a'])
    const [, a] = await visit.hits(5)
    expect(a).toMatchObject({ referrer: visit.url('/shop'), utm: {}, click_ids: {} })
  })

  it('counts no page twice, whatever its router does to get there', async () => {
    await open()
    await steps(
      'history.replaceState({ key: 1 }, "", location.href)',
      'history.pushState(null, "", "/shop/a"); history.replaceState({}, "", "/shop/a")',
      'history.pushState(null, "", "/shop/old"); history.replaceState(null, "", "/shop/new")',
      'history.replaceState(null, "", "/shop/new?filter=red")',
      'location.hash = "#details"',
    )
    expect(await paths(4)).toEqual(['/shop', '/shop/a', '/shop/new'])
  })

  it('counts routes in the fragment where the settings say so', async () => {
    await open({ spa: 'hash' })
    await steps('location.hash = "#/cart"', 'location.hash = "#!/pay?card=1"', 'location.hash = "#top"')
    expect(await paths(5)).toEqual(['/shop', '/shop/cart', '/shop/pay', '/shop'])
  })

  it('counts none but the first where the settings say so, until the page asks', async () => {
    await open({ spa: 'off' })
    await steps('history.pushState(null, "", "/shop/a")', 'history.pushState(null, "", "/shop/b")', 'touchline.page()')
    expect(await paths(3)).toEqual(['/shop', '/shop/b'])
  })

  it('still gets what its history functions return and throw', async () => {
    await open()
    const thrown = await visit.page.evaluate(
      `(() => { try { history.pushState(null, '', 'https://elsewhere.test/') } catch (error) { return error.name } })()`,
    )
    expect(thrown).toBe('SecurityError')
  })
})
