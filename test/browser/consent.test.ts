import { describe, expect, it } from 'vitest'
import type { Visit } from './site.ts'
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

  it('is nothing where they do not', async () => {
    visit = await site.visit({ gpc: false, dnt: false })
    visit.show('/', `<script>${signal}</script>${visit.snippet}`)
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })
})
