import { describe, expect, it } from 'vitest'
import { refusedCookies, type Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

const kept = () => visit.page.evaluate<string[]>('Object.keys(localStorage).filter((key) => key.startsWith("_tl_q"))')
const open = async (path = '/') => {
  visit = await site.visit()
  visit.show(path, visit.snippet)
  await visit.page.goto(visit.url(path))
  await visit.hits(1)
}

describe('a browser that is offline', () => {
  it('keeps its hits and sends them, with their own time, when it is online again', async () => {
    await open()
    await visit.context.setOffline(true)
    const before = Date.now()
    await visit.page.evaluate('touchline.track("one"); touchline.track("two", { value: 3 })')
    await visit.page.waitForFunction('Object.keys(localStorage).length === 2')
    const after = Date.now()
    await visit.context.setOffline(false)
    const hits = await visit.hits(3)
    expect(hits.map((hit) => hit.event_type)).toEqual(['page_view', 'one', 'two'])
    for (const hit of hits.slice(1)) {
      expect(hit.event_time).toBeGreaterThanOrEqual(before - 5)
      expect(hit.event_time).toBeLessThanOrEqual(after + 5)
    }
    await visit.page.waitForFunction('Object.keys(localStorage).length === 0')
  })

  it('sends on its next page what it could not send on the last', async () => {
    await open()
    await visit.context.setOffline(true)
    await visit.page.evaluate('touchline.track("left")')
    await visit.page.waitForFunction('Object.keys(localStorage).length === 1')
    await visit.page.close()
    await visit.context.setOffline(false)
    visit.page = await visit.context.newPage()
    await visit.page.goto(visit.url('/'))
    const hits = await visit.hits(3)
    expect(hits.map((hit) => hit.event_type).sort()).toEqual(['left', 'page_view', 'page_view'])
    expect(new Set(hits.map((hit) => hit.visitor)).size).toBe(1)
  })

  it('sends what was left where the browser refuses cookies as well', async () => {
    visit = await site.visit()
    await visit.context.addInitScript(refusedCookies)
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.context.setOffline(true)
    await visit.page.evaluate('touchline.track("left")')
    await visit.page.waitForFunction('Object.keys(localStorage).some((key) => key.startsWith("_tl_q"))')
    await visit.page.close()
    await visit.context.setOffline(false)
    visit.page = await visit.context.newPage()
    await visit.page.goto(visit.url('/'))
    const hits = await visit.hits(3)
    expect(hits.map((hit) => hit.event_type).sort()).toEqual(['left', 'page_view', 'page_view'])
  })

  it('leaves no trace of what it kept when consent is withdrawn', async () => {
    await open()
    await visit.context.setOffline(true)
    await visit.page.evaluate('touchline.track("left")')
    await visit.page.waitForFunction('document.cookie.includes("_tl_q")')
    await visit.page.evaluate('touchline.consent(false)')
    expect(await visit.page.evaluate('document.cookie')).toBe('_tl_c=0')
    expect(await kept()).toEqual([])
  })

  it('keeps no more than a bounded number', async () => {
    await open()
    await visit.context.setOffline(true)
    await visit.page.evaluate('for (let n = 0; n < 300; n++) touchline.track("many")')
    await visit.page.waitForFunction('Object.keys(localStorage).length >= 50')
    await visit.page.evaluate('for (let n = 0; n < 300; n++) touchline.track("more")')
    expect((await kept()).length).toBeLessThanOrEqual(50)
  })

  it('keeps no more over many pages, the newest of them', async () => {
    await open()
    await visit.page.evaluate(`for (let n = 0; n < 70; n++) {
      const at = Date.now() - 80_000 + n * 1000
      localStorage.setItem('_tl_q.${visit.settings.key}.' + at + '.' + n, '["visitor-1",{"event_id":"x"}]')
    }`)
    await visit.context.setOffline(true)
    await visit.page.evaluate('touchline.track("one")')
    await visit.page.waitForFunction('document.cookie.includes("_tl_q")')
    const names = await kept()
    expect(names).toHaveLength(50)
    expect(names.map((name) => Number(name.split('.')[3])).filter((n) => n < 21)).toEqual([])
  })

  it('removes what is too old to be sent, also what was kept under another key', async () => {
    await open()
    await visit.page.evaluate(`
      for (const key of ['${visit.settings.key}', 'tl_pub_another'])
        localStorage.setItem('_tl_q.' + key + '.' + (Date.now() - 31 * 86400000) + '.x', '["visitor-1",{"event_id":"x"}]')
      document.cookie = '_tl_q=1;path=/;max-age=1000'`)
    await visit.page.goto(visit.url('/'))
    await visit.page.waitForFunction('Object.keys(localStorage).length === 0')
    await visit.page.waitForFunction('!document.cookie.includes("_tl_q")')
  })

  it('forgets at a withdrawal what it kept under an earlier key', async () => {
    await open()
    visit.show('/new', visit.snippetWith({ key: 'tl_pub_newkey0000000000000' }))
    await visit.context.route('**/collect', (route) => route.abort())
    await visit.page.evaluate('touchline.identify("C-7", { email: "ana@example.com" })')
    await visit.page.waitForFunction('document.cookie.includes("_tl_q")')
    await visit.page.goto(visit.url('/new'))
    await visit.page.waitForFunction('touchline.visitorId && touchline.visitorId()')
    await visit.page.evaluate('touchline.consent(false)')
    expect(await kept()).toEqual([])
    expect(await visit.page.evaluate('document.cookie')).toBe('_tl_c=0')
  })
})

describe('a hit that the collector cannot take', () => {
  it('costs no other when the page is left', async () => {
    await open()
    await visit.page.evaluate(`
      touchline.track('add_to_cart', { value: '1.299,00', currency: 'EUR' })
      touchline.page()
      touchline.track('lead_created')
      window.dispatchEvent(new Event('pagehide'))`)
    const hits = await visit.hits(3)
    expect(hits.map((hit) => hit.event_type).sort()).toEqual(['lead_created', 'page_view', 'page_view'])
  })

  it('costs no other when it is too large', async () => {
    visit = await site.visit()
    visit.show('/', `${visit.snippet}<script>touchline.identify('C-7', { avatar: 'x'.repeat(140000) })</script>`)
    await visit.page.goto(visit.url('/?gclid=G1'))
    expect(await visit.hits(1)).toMatchObject([{ event_type: 'page_view', click_ids: { gclid: 'G1' } }])
    await visit.page.waitForFunction('Object.keys(localStorage).length === 0')
  })
})

describe('a browser with nothing left to send', () => {
  it('does not open its storage', async () => {
    visit = await site.visit()
    await visit.context.addInitScript(`
      const { get } = Object.getOwnPropertyDescriptor(Window.prototype, 'localStorage') ??
        Object.getOwnPropertyDescriptor(window, 'localStorage')
      window.opened = 0
      Object.defineProperty(window, 'localStorage', { get() { window.opened++; return get.call(window) } })
    `)
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate('new Promise((resolve) => setTimeout(() => requestIdleCallback(resolve), 2000))')
    expect(await visit.page.evaluate('opened')).toBe(0)
    await visit.page.evaluate('localStorage')
    expect(await visit.page.evaluate('opened')).toBe(1)
  })
})

describe('a collector', () => {
  it('that is away or overloaded is tried again, later each time, with the same ids', async () => {
    await open()
    const sent: { at: number; ids: string[] }[] = []
    const answers = [503, 429, 0]
    await visit.page.route('**/collect', async (route) => {
      const { events } = JSON.parse(route.request().postData()!) as { events: { event_id: string }[] }
      sent.push({ at: Date.now(), ids: events.map((event) => event.event_id) })
      const status = answers.shift()
      if (status === undefined) return route.continue()
      return status === 0 ? route.abort() : route.fulfill({ status, headers: { 'access-control-allow-origin': '*' } })
    })
    await visit.page.evaluate('touchline.track("stubborn")')
    const hits = await visit.hits(2)
    expect(hits.at(-1)!.event_type).toBe('stubborn')
    expect(sent).toHaveLength(4)
    expect(new Set(sent.flatMap(({ ids }) => ids)).size).toBe(1)
    const gaps = sent.slice(1).map(({ at }, n) => at - sent[n]!.at)
    expect(gaps[2]!).toBeGreaterThan(gaps[0]!)
  })

  it('that refuses one hit of several still gets the others', async () => {
    await open()
    await visit.page.evaluate(
      'touchline.track("good"); touchline.track("x".repeat(500)); touchline.track("fine", { value: 1 })',
    )
    expect((await visit.hits(3)).map((hit) => hit.event_type).sort()).toEqual(['fine', 'good', 'page_view'])
    await visit.page.evaluate('touchline.track("end")')
    expect((await visit.hits(4)).at(-1)!.event_type).toBe('end')
    expect(await kept()).toEqual([])
  })
})

describe('a visitor who leaves', () => {
  it('hands what was not sent to the browser, in the same moment', async () => {
    await open()
    const beacons: string[] = []
    visit.context.on('request', (request) => {
      if (request.resourceType() === 'ping') beacons.push(request.url())
    })
    await visit.page.evaluate('touchline.track("last words"); window.dispatchEvent(new Event("pagehide"))')
    expect((await visit.hits(2)).at(-1)!.event_type).toBe('last words')
    expect(beacons).toEqual([visit.settings.url])
  })

  it('for another page takes nothing along', async () => {
    await open()
    visit.show('/away', 'Nothing is tracked here.')
    await visit.page.evaluate('touchline.track("click"); setTimeout(() => { location.href = "/away" })')
    await visit.page.waitForURL('**/away')
    expect((await visit.hits(2)).at(-1)!.event_type).toBe('click')
  })

  it('by closing the tab right after a click', async () => {
    await open()
    await visit.page.evaluate('touchline.track("click")')
    await visit.page.close({ runBeforeUnload: true })
    expect((await visit.hits(2)).at(-1)!.event_type).toBe('click')
  })
})

describe('two tabs', () => {
  it('that both send what was left are counted once by its id', async () => {
    await open()
    await visit.context.setOffline(true)
    await visit.page.evaluate('touchline.track("shared")')
    await visit.page.waitForFunction('Object.keys(localStorage).length === 1')
    await visit.page.close()
    await visit.context.setOffline(false)
    const tabs = await Promise.all([visit.context.newPage(), visit.context.newPage()])
    await Promise.all(tabs.map((tab) => tab.goto(visit.url('/'))))
    const hits = await visit.hits(4)
    const shared = hits.filter((hit) => hit.event_type === 'shared')
    expect(shared.length).toBeGreaterThanOrEqual(1)
    expect(new Set(shared.map((hit) => hit.event_id)).size).toBe(1)
    visit.page = tabs[0]!
    await visit.page.waitForFunction('Object.keys(localStorage).length === 0')
  })
})
