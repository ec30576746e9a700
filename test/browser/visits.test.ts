import { describe, expect, it } from 'vitest'
import { ids } from '../../domain/ids.ts'
import type { Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

const cookie = async (name = '_tl_vid') => (await visit.context.cookies()).find((one) => one.name === name)

describe('a page view', () => {
  it('is sent with its address cut to tags and click ids, and the site that led here', async () => {
    visit = await site.visit()
    visit.show('/landing/ana@example.com', visit.snippet)
    await visit.page.goto(
      visit.url(
        '/landing/ana@example.com?utm_source=meta&email=ana%40example.com&gclid=G1&svc_ad_id=7&token=s3cret#top',
      ),
      { referer: 'http://www.google.com/search?q=ana' },
    )
    const [hit] = await visit.hits(1)
    expect(hit).toMatchObject({
      event_type: 'page_view',
      url: visit.url('/landing/:email?utm_source=meta&gclid=G1&svc_ad_id=7'),
      utm: { source: 'meta' },
      click_ids: { gclid: 'G1' },
      ad_ref: '7',
    })
    expect(hit!.referrer).toMatch(/^http:\/\/www\.google\.com\//)
  })

  it('of every further page comes from the same visitor', async () => {
    visit = await site.visit()
    visit.show('/a', visit.snippet)
    visit.show('/b', visit.snippet)
    await visit.page.goto(visit.url('/a'))
    await visit.hits(1)
    await visit.page.goto(visit.url('/b'))
    const [a, b] = await visit.hits(2)
    expect(b!.visitor).toBe(a!.visitor)
    const [id] = (await cookie())!.value.split('.')
    expect(a!.visitor).toBe(ids.visitor(visit.profile, id!))
  })

  it('is counted once, however often a page carries the snippet', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet + visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate('touchline.track("done")')
    const hits = await visit.hits(2)
    expect(hits.map((hit) => hit.event_type)).toEqual(['page_view', 'done'])
  })

  it('comes back when the browser shows a page from its memory', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate('window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    expect(await visit.hits(2)).toHaveLength(2)
  })
})

describe('the visitor', () => {
  it('is the same on every subdomain', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/', 'www.shop.test'))
    await visit.hits(1)
    await visit.page.goto(visit.url('/', 'pay.eu.shop.test'))
    const [a, b] = await visit.hits(2)
    expect(b!.visitor).toBe(a!.visitor)
    expect(await cookie()).toMatchObject({ domain: '.shop.test', sameSite: 'Lax' })
  })

  it('is kept on the widest domain that strangers do not share', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/', 'a.b.shop.co.uk'))
    await visit.hits(1)
    expect(await cookie()).toMatchObject({ domain: '.shop.co.uk' })
  })

  it('is kept on the domain that the settings name', async () => {
    visit = await site.visit({ domain: 'pay.shop.test', days: 10 })
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/', 'a.pay.shop.test'))
    await visit.hits(1)
    const kept = await cookie()
    expect(kept).toMatchObject({ domain: '.pay.shop.test' })
    expect(kept!.expires).toBeLessThan(Date.now() / 1000 + 10 * 86_400 + 60)
  })

  it('is one in two tabs', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    const second = await visit.context.newPage()
    await second.goto(visit.url('/'))
    await visit.page.evaluate('touchline.track("from_first")')
    const hits = await visit.hits(3)
    expect(new Set(hits.map((hit) => hit.visitor)).size).toBe(1)
  })

  it('lives as long as the page where nothing can be stored', async () => {
    visit = await site.visit()
    const sandbox = { html: visit.snippet, headers: { 'content-security-policy': 'sandbox allow-scripts' } }
    visit.show('/', sandbox)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate('touchline.track("later")')
    const hits = await visit.hits(2)
    expect(new Set(hits.map((hit) => hit.visitor)).size).toBe(1)
  })

  it('becomes another one after a reset', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate('touchline.reset(); touchline.track("after")')
    const [before, after] = await visit.hits(2)
    expect(after!.visitor).not.toBe(before!.visitor)
  })
})

describe('calls', () => {
  it('before the script is there are kept, in their order', async () => {
    visit = await site.visit()
    const early = '<script>touchline.track("first"); touchline.identify({ email: "ana@example.com" })</script>'
    visit.show('/', visit.snippet + early)
    await visit.page.goto(visit.url('/'))
    const hits = await visit.hits(3)
    expect(hits.map((hit) => hit.event_type).sort()).toEqual(['first', 'identify', 'page_view'])
    expect(hits.find((hit) => hit.event_type === 'identify')!.identifiers).toMatchObject([{ type: 'email' }])
  })

  it('say what happened, with money and an id of their own', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate(
      'touchline.track("payment_received", { value: 12.5, currency: "USD", name: "Order", event_id: "order-1" })',
    )
    const paid = (await visit.hits(2)).find((hit) => hit.event_type === 'payment_received')!
    expect(paid).toMatchObject({ event_name: 'Order', amount_minor: 1250, currency: 'USD' })
  })

  it('say who it is once, by an id or by traits', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.evaluate(`
      touchline.identify('customer-7', { email: 'ana@example.com' })
      touchline.identify('customer-7', { email: 'ana@example.com' })
      touchline.track('end')`)
    const hits = await visit.hits(3)
    expect(hits.map((hit) => hit.event_type).sort()).toEqual(['end', 'identify', 'page_view'])
    const [external, email] = hits.find((hit) => hit.event_type === 'identify')!.identifiers
    expect(await Promise.all([external!, email!].map((one) => reveal(one)))).toEqual(['customer-7', 'ana@example.com'])
  })

  it('with nonsense never throw', async () => {
    visit = await site.visit()
    visit.show('/', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.hits(1)
    await visit.page.evaluate(`
      const loop = {}; loop.loop = loop
      touchline.track(); touchline.track(null, null); touchline.identify(loop); touchline.identify(null)
      touchline.consent(); touchline.consent(true); touchline.push(); touchline.push(['nothing']); touchline.init()
      touchline.track('end')`)
    expect((await visit.hits(2)).at(-1)!.event_type).toBe('end')
  })
})

async function reveal({ token, sealed }: { token: string; sealed: Buffer }) {
  const keys = await site.world.vault.keys([{ profileId: visit.profile, token }])
  const { open, sealingContext } = await import('../../domain/sealing.ts')
  return open(keys.get(token)!, sealingContext(visit.profile, token, 'value'), sealed).toString()
}
