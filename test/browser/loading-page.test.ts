import { describe, expect, it } from 'vitest'
import { scriptElement } from '../../domain/snippet.ts'
import { trackerPath } from '../../domain/tracker-paths.ts'
import type { Site, Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

const spy = `
  window.uses = []
  const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')
  Object.defineProperty(Document.prototype, 'cookie', {
    get() { uses.push('cookie'); return get.call(this) },
    set(text) { uses.push('cookie'); set.call(this, text) },
  })
  for (const [holder, name] of [[window, 'fetch'], [Navigator.prototype, 'sendBeacon'], [Crypto.prototype, 'getRandomValues']]) {
    const own = holder[name]
    holder[name] = function () { uses.push(name); return own.apply(this, arguments) }
  }
`

/** A page whose image does not come until it is told to, so that it does not end to load. */
async function openLoading(settings: Parameters<Site['visit']>[0] = {}, query = '') {
  visit = await site.visit(settings)
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  await visit.page.route('**/slow.png', (route) => finished.then(() => route.abort()).catch(() => undefined))
  visit.show('/landing', `${visit.snippet}<script>${spy}</script><img src="/slow.png">`)
  visit.show('/away', 'Nothing is tracked here.')
  await visit.page.goto(visit.url(`/landing${query}`), { waitUntil: 'commit' })
  await visit.page.waitForFunction('window.touchline && window.touchline.isLoaded')
  return finish
}
const uses = () => visit.page.evaluate<string[]>('uses')
/** Each in a task of its own, as a visitor would take it. */
const steps = async (...code: string[]) => {
  for (const one of code) {
    await visit.page.evaluate(one)
    await visit.page.evaluate('new Promise((resolve) => setTimeout(() => setTimeout(resolve, 2), 2))')
  }
}
const toldAs = async (count: number) => (await visit.hits(count)).map(({ event_type, path }) => [event_type, path])

describe('a page that still loads', () => {
  it('sees the tracker read, make and send nothing until it has', async () => {
    const finish = await openLoading()
    await visit.page.evaluate('touchline.track("early")')
    expect(await uses()).toEqual([])
    finish()
    expect(await toldAs(2)).toEqual([
      ['page_view', '/landing'],
      ['early', '/landing'],
    ])
    expect(await uses()).toContain('cookie')
  })

  it('is told with every step of its own address and its own time', async () => {
    const finish = await openLoading({}, '?gclid=G1')
    const at = [Date.now()]
    for (const path of ['/a', '/b']) {
      await steps(`history.pushState(null, '', '${path}')`, `touchline.track('click')`)
      at.push(Date.now())
    }
    finish()
    expect(await toldAs(5)).toEqual([
      ['page_view', '/landing'],
      ['page_view', '/a'],
      ['click', '/a'],
      ['page_view', '/b'],
      ['click', '/b'],
    ])
    const hits = await visit.hits(5)
    expect(hits.map((hit) => hit.click_ids)).toEqual([{ gclid: 'G1' }, {}, {}, {}, {}])
    expect(hits.map((hit) => hit.referrer).slice(1)).toEqual(
      ['/landing', null, '/a', null].map((path) => path && visit.url(path)),
    )
    for (const [n, hit] of hits.entries()) {
      const step = Math.ceil(n / 2)
      expect(hit.event_time).toBeLessThanOrEqual(at[step]! + 5)
      if (step) expect(hit.event_time).toBeGreaterThanOrEqual(at[step - 1]! - 5)
    }
  })

  it('that goes on before it has rested once is told with both addresses', async () => {
    visit = await site.visit()
    const restless =
      'const rest = requestIdleCallback; requestIdleCallback = (work) => setTimeout(() => rest(work), 300)'
    const early = scriptElement('touchline.track("early")')
    visit.show('/landing', `${scriptElement(restless)}${visit.snippet}${early}`)
    await visit.page.goto(visit.url('/landing?gclid=G1'), { waitUntil: 'commit' })
    await visit.page.waitForFunction('window.touchline && window.touchline.isLoaded')
    await steps('history.pushState(null, "", "/b")', 'touchline.track("click")')
    expect((await toldAs(4)).toSorted()).toEqual([
      ['click', '/b'],
      ['early', '/landing'],
      ['page_view', '/b'],
      ['page_view', '/landing'],
    ])
    const [landing] = await visit.hits(4)
    expect(landing).toMatchObject({ event_type: 'page_view', path: '/landing', click_ids: { gclid: 'G1' } })
  })

  it('is told with the time of calls that were made long before the script came', async () => {
    visit = await site.visit()
    await visit.page.route(`**${trackerPath}`, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await route.continue()
    })
    visit.show('/landing', `${visit.snippet}${scriptElement('touchline.track("early"); window.early = Date.now()')}`)
    await visit.page.goto(visit.url('/landing'))
    await visit.page.evaluate('touchline.track("late")')
    const [landing, early, late] = await visit.hits(3)
    expect([landing, early, late].map((hit) => hit!.event_type)).toEqual(['page_view', 'early', 'late'])
    expect(early!.event_time).toBeLessThanOrEqual(await visit.page.evaluate<number>('early'))
    expect(landing!.event_time).toBeLessThanOrEqual(early!.event_time)
    expect(late!.event_time - early!.event_time).toBeGreaterThanOrEqual(600)
  })

  it('counts once when it is left, with what was called on it', async () => {
    await openLoading({}, '?utm_source=meta')
    await visit.page.evaluate('touchline.track("click"); setTimeout(() => { location.href = "/away" })')
    await visit.page.waitForURL('**/away')
    const hits = await visit.hits(2)
    expect(hits.map(({ event_type, path, utm }) => [event_type, path, utm.source])).toEqual([
      ['page_view', '/landing', 'meta'],
      ['click', '/landing', 'meta'],
    ])
    // What comes later would have come before this.
    visit.show('/next', visit.snippet)
    await visit.page.goto(visit.url('/next'))
    expect(await toldAs(3)).toEqual([
      ['page_view', '/landing'],
      ['click', '/landing'],
      ['page_view', '/next'],
    ])
  })

  it('counts once when it is hidden and shown again', async () => {
    const finish = await openLoading()
    await visit.page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
      delete document.visibilityState`)
    await visit.hits(1)
    finish()
    await visit.page.waitForLoadState('load')
    await visit.page.evaluate('touchline.track("end")')
    expect(await toldAs(2)).toEqual([
      ['page_view', '/landing'],
      ['end', '/landing'],
    ])
  })

  it('leaves nothing behind when it is left without consent', async () => {
    await openLoading({ consent: 'required' })
    const sent: string[] = []
    visit.context.on('request', (request) => request.url() === visit.settings.url && sent.push(request.url()))
    await visit.page.evaluate('touchline.track("click"); setTimeout(() => { location.href = "/away" })')
    await visit.page.waitForURL('**/away')
    expect(await visit.context.cookies()).toEqual([])
    expect(await visit.page.evaluate('Object.keys(localStorage)')).toEqual([])
    expect(sent).toEqual([])
  })

  it('is told at once who its visitor is, and keeps to it', async () => {
    const finish = await openLoading()
    const id = await visit.page.evaluate<string>('touchline.visitorId()')
    finish()
    await visit.hits(1)
    expect(id).toMatch(/^[\w-]{36}$/)
    expect((await visit.context.cookies()).find(({ name }) => name === '_tl_vid')!.value).toContain(id)
  })
})

describe('a snippet from before', () => {
  it('that makes the element itself still works', async () => {
    visit = await site.visit()
    const older = `(() => {
      const calls = window.touchline = []
      for (const name of ['init', 'page', 'track']) calls[name] = (...args) => { calls[calls.length] = [name, ...args] }
      const script = document.createElement('script')
      script.async = true
      script.src = ${JSON.stringify(site.collector + trackerPath)}
      document.head.appendChild(script)
      calls.init(${JSON.stringify(visit.settings)})
    })()`
    visit.show('/', `${scriptElement(older)}<script>touchline.track("early")</script>`)
    await visit.page.goto(visit.url('/'))
    await visit.hits(2)
    await visit.page.evaluate('touchline.track("late")')
    expect((await visit.hits(3)).map((hit) => hit.event_type)).toEqual(['page_view', 'early', 'late'])
  })
})
