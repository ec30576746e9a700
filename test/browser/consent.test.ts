import { describe, expect, it } from 'vitest'
import { refusedCookies, type Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

const sentTo = (path: string) => {
  const sent: string[] = []
  visit.context.on('request', (request) => {
    if (new URL(request.url()).pathname === path) sent.push(request.postData() ?? '')
  })
  return sent
}
const stored = async () => ({
  cookies: (await visit.context.cookies()).map(({ name }) => name),
  storage: await visit.page.evaluate('Object.keys(localStorage).concat(Object.keys(sessionStorage))'),
})
const nothing = { cookies: [], storage: [] }
const loaded = () => visit.page.waitForFunction('window.touchline && window.touchline.isLoaded')
const settled = () =>
  visit.page.evaluate('new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 150)))')

describe('where consent is required', () => {
  it('nothing is stored or sent before it, and nothing of the landing page is lost', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/landing', visit.snippet)
    const sent = sentTo('/collect')
    await visit.page.goto(visit.url('/landing?utm_source=meta&fbclid=F1'))
    await loaded()
    await visit.page.evaluate('history.pushState(null, "", "/pricing")')
    await settled()
    await visit.page.evaluate('window.dispatchEvent(new Event("pagehide"))')
    expect(sent).toEqual([])
    expect(await stored()).toEqual(nothing)
    await visit.page.evaluate('touchline.consent(true)')
    const [landing, pricing] = await visit.hits(2)
    expect(landing).toMatchObject({ path: '/landing', utm: { source: 'meta' }, click_ids: { fbclid: 'F1' } })
    expect(pricing).toMatchObject({ path: '/pricing' })
    expect((await stored()).cookies.sort()).toEqual(['_tl_c', '_tl_vid'])
  })

  it('a given consent holds on the next page', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate('touchline.consent(true)')
    await visit.hits(1)
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(2)).toHaveLength(2)
  })

  it('a refusal leaves nothing behind, and can be taken back', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/', visit.snippet)
    const sent = sentTo('/collect')
    await visit.page.goto(visit.url('/'))
    await loaded()
    await visit.page.evaluate('touchline.consent(false); touchline.track("secret")')
    await settled()
    expect(sent).toEqual([])
    expect(await stored()).toEqual(nothing)
    await visit.page.evaluate('touchline.consent(true); touchline.track("open")')
    expect((await visit.hits(1)).map((hit) => hit.event_type)).toEqual(['open'])
  })

  it('a withdrawal removes the visitor and what still waits', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate('touchline.consent(true)')
    await visit.hits(1)
    await visit.context.setOffline(true)
    await visit.page.evaluate('touchline.track("late")')
    await visit.page.waitForFunction('Object.keys(localStorage).length > 0')
    await visit.page.evaluate('touchline.consent(false)')
    expect(await stored()).toEqual(nothing)
  })
})

describe('where it is not', () => {
  it('a refusal stops everything, on the next page as well', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate('touchline.consent(false)')
    const sent = sentTo('/collect')
    await visit.page.goto(visit.url('/'))
    await loaded()
    await visit.page.evaluate('touchline.track("secret")')
    await settled()
    expect(sent).toEqual([])
    expect(await stored()).toEqual({ cookies: ['_tl_c'], storage: [] })
    expect(await visit.page.evaluate('touchline.visitorId()')).toBeUndefined()
  })
})

describe('another tab', () => {
  const open = async (settings: Parameters<typeof site.visit>[0] = {}) => {
    visit = await site.visit(settings)
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    if (settings.consent) await visit.page.evaluate('touchline.consent(true)')
    await visit.hits(1)
    const other = await visit.context.newPage()
    await other.goto(visit.url('/'))
    await visit.hits(2)
    return other
  }

  it.each([
    ['is required', { consent: 'required' }, []],
    ['is the default', {}, ['_tl_c']],
  ] as const)('sends and stores nothing more after a withdrawal where consent %s', async (_where, settings, left) => {
    const other = await open(settings)
    await other.evaluate('touchline.consent(false)')
    const sent = sentTo('/collect')
    await visit.page.bringToFront()
    await visit.page.evaluate('touchline.track("late", {}, { email: "ana@example.com" })')
    await visit.page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    await visit.page.evaluate('history.pushState(null, "", "/next")')
    await settled()
    await visit.page.evaluate('dispatchEvent(new Event("pagehide"))')
    expect(sent).toEqual([])
    expect(await stored()).toEqual({ cookies: left, storage: [] })
    expect(await visit.page.evaluate('touchline.visitorId()')).toBeUndefined()
  })

  it('sends nothing that waits, either, and tells its own tags', async () => {
    const other = await open()
    await visit.context.setOffline(true)
    await visit.page.evaluate(`
      window.told = []
      addEventListener('touchline:consent', (event) => told.push(event.detail))
      touchline.identify('C-7', { email: 'ana@example.com' })`)
    await visit.page.waitForFunction('Object.keys(localStorage).length > 0')
    await other.evaluate('touchline.consent(false)')
    const sent = sentTo('/collect')
    await visit.context.setOffline(false)
    await visit.page.waitForFunction('told.length')
    expect(await visit.page.evaluate('told')).toEqual([false])
    await settled()
    expect(sent).toEqual([])
    expect(await stored()).toEqual({ cookies: ['_tl_c'], storage: [] })
  })

  it('keeps nothing of what was under way meanwhile and failed', async () => {
    const other = await open()
    const { promise: fails, resolve: fail } = Promise.withResolvers<void>()
    const isSent = visit.page.waitForRequest('**/collect')
    await visit.page.route('**/collect', (route) => fails.then(() => route.abort()))
    await visit.page.bringToFront()
    await visit.page.evaluate(`
      const set = Storage.prototype.setItem
      window.kept = []
      Storage.prototype.setItem = function (name, value) { kept.push(name); set.call(this, name, value) }
      touchline.identify('C-7', { email: 'ana@example.com' })`)
    await isSent
    await other.evaluate('touchline.consent(false)')
    const isOver = visit.page.waitForEvent('requestfailed')
    fail()
    await isOver
    await settled()
    expect(await visit.page.evaluate('kept')).toEqual([])
    expect(await stored()).toEqual({ cookies: ['_tl_c'], storage: [] })
  })

  it('goes on when consent is given again, as somebody new', async () => {
    const other = await open()
    await other.evaluate('touchline.consent(false)')
    await visit.page.evaluate('touchline.track("between")')
    await other.evaluate('touchline.consent(true)')
    await visit.page.evaluate('touchline.track("after")')
    const [first, , after] = await visit.hits(3)
    expect(after!.event_type).toBe('after')
    expect(after!.visitor).not.toBe(first!.visitor)
  })

  it('is the same new browser after a reset', async () => {
    const other = await open()
    const before = await visit.page.evaluate('touchline.visitorId()')
    await other.evaluate('touchline.reset()')
    const after = await visit.page.evaluate('touchline.visitorId()')
    expect(after).not.toBe(before)
    expect(await other.evaluate('touchline.visitorId()')).toBe(after)
  })
})

describe('a choice', () => {
  it('can be withdrawn after the settings named another domain for cookies', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/', visit.snippet)
    visit.show('/narrow', visit.snippetWith({ domain: 'www.shop.test' }))
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate('touchline.consent(true)')
    await visit.hits(1)
    await visit.page.goto(visit.url('/narrow'))
    await visit.hits(2)
    await visit.page.evaluate('touchline.consent(false)')
    expect(await stored()).toEqual(nothing)
  })

  it('is kept for the host where the settings name the domain of another site', async () => {
    visit = await site.visit({ domain: 'other.test' })
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate('touchline.consent(false)')
    const sent = sentTo('/collect')
    await visit.page.goto(visit.url('/'))
    await settled()
    expect(sent).toEqual([])
    expect(await stored()).toEqual({ cookies: ['_tl_c'], storage: [] })
  })

  it('is kept where the browser refuses cookies', async () => {
    visit = await site.visit()
    await visit.context.addInitScript(refusedCookies)
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate('touchline.consent(false)')
    const sent = sentTo('/collect')
    await visit.page.goto(visit.url('/'))
    await settled()
    expect(sent).toEqual([])
    expect(await stored()).toEqual({ cookies: [], storage: ['_tl_c'] })
  })
})

describe('who somebody is', () => {
  const told = async (count: number) =>
    (await visit.hits(count)).filter((hit) => hit.event_type === 'identify').map(({ visitor }) => visitor)

  it('can be said again after a refusal', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate('touchline.identify("C-7")')
    await visit.hits(2)
    await visit.page.evaluate('touchline.consent(false); touchline.identify("C-7"); touchline.consent(true)')
    await visit.page.evaluate('touchline.identify("C-7")')
    expect(new Set(await told(3)).size).toBe(2)
  })

  it('is told apart from who was there before a reset, also while consent is awaited', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await settled()
    await visit.page.evaluate('touchline.identify("A"); touchline.reset(); touchline.identify("B")')
    await visit.page.evaluate('touchline.consent(true)')
    expect(new Set(await told(3)).size).toBe(2)
  })
})

describe.each([
  [
    'Global Privacy Control',
    'gpc',
    'Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true })',
  ],
  ['Do Not Track', 'dnt', 'Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "1" })'],
] as const)('%s', (_name, setting, signal) => {
  it('is a refusal where the settings honour it, whatever the page says', async () => {
    visit = await site.visit({ [setting]: true })
    visit.show('/', `<script>${signal}</script>${visit.snippet}`)
    const sent = sentTo('/collect')
    await visit.page.goto(visit.url('/'))
    await loaded()
    await visit.page.evaluate('touchline.consent(true); touchline.track("secret")')
    await settled()
    expect(sent).toEqual([])
    expect(await stored()).toEqual(nothing)
  })

  it('removes what was stored before it was switched on', async () => {
    visit = await site.visit({ [setting]: true })
    visit.show('/', visit.snippet)
    visit.show('/signal', `<script>${signal}</script>${visit.snippet}`)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.context.route('**/collect', (route) => route.abort())
    await visit.page.evaluate('touchline.identify("C-7", { email: "ana@example.com" })')
    await visit.page.waitForFunction('Object.keys(localStorage).length > 0')
    await visit.page.goto(visit.url('/signal'))
    await settled()
    expect(await stored()).toEqual(nothing)
  })

  it('is nothing where they do not', async () => {
    visit = await site.visit({ gpc: false, dnt: false })
    visit.show('/', `<script>${signal}</script>${visit.snippet}`)
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })
})
