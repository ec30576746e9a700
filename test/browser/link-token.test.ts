import { describe, expect, it } from 'vitest'
import { scriptTag } from '../../domain/snippet.ts'
import { trackerPath } from '../../domain/tracker-paths.ts'
import type { Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

const readers = '<script>window.seen = location.href; window.state = JSON.stringify(history.state)</script>'
const bodies = () => {
  const sent: { events: { event_type: string; url: string; link_token?: string }[] }[] = []
  visit.context.on('request', (request) => {
    if (request.url() === visit.settings.url && request.method() === 'POST') sent.push(request.postDataJSON())
  })
  return sent
}

describe.each(['snippet', 'tag'] as const)('a link token, with the %s', (form) => {
  const installed = () => (form === 'snippet' ? visit.snippet : scriptTag(site.collector + trackerPath, visit.settings))

  it('leaves the address bar before anything else reads it; the rest stays to the letter', async () => {
    visit = await site.visit()
    visit.show('/a', installed() + readers)
    const sent = bodies()
    await visit.page.goto(visit.url('/a?q=%20a+b&svc_t=tok.en%2B1&x&utm_source=mail#part?svc_t=mine'))
    const expected = visit.url('/a?q=%20a+b&x&utm_source=mail#part?svc_t=mine')
    expect(await visit.page.evaluate('window.seen')).toBe(expected)
    expect(visit.page.url()).toBe(expected)
    await visit.hits(1)
    expect(sent[0]!.events[0]).toMatchObject({ event_type: 'page_view', link_token: 'tok.en+1' })
    expect(JSON.stringify(sent[0]!.events[0]!.url)).not.toContain('svc_t')
  })

  it('alone in a query takes the question mark along, and is sent with one view only', async () => {
    visit = await site.visit()
    visit.show('/a', installed() + readers)
    const sent = bodies()
    await visit.page.goto(visit.url('/a?svc_t=token'))
    await visit.page.evaluate('history.pushState(null, "", "/b")')
    await visit.hits(2)
    expect(await visit.page.evaluate('window.seen')).toBe(visit.url('/a'))
    const tokens = sent.flatMap(({ events }) => events.map((event) => event.link_token ?? null))
    expect(tokens).toEqual(['token', null])
  })
})

describe('a link token', () => {
  it('is taken away without consent too, and used if consent comes on the same page', async () => {
    visit = await site.visit({ consent: 'required' })
    visit.show('/a', visit.snippet + readers)
    const sent = bodies()
    await visit.page.goto(visit.url('/a?svc_t=token&b=1'))
    expect(await visit.page.evaluate('window.seen')).toBe(visit.url('/a?b=1'))
    await visit.page.evaluate('touchline.consent(true)')
    await visit.hits(1)
    expect(sent[0]!.events[0]!.link_token).toBe('token')
  })

  it('given several times leaves altogether, and the first that says something counts', async () => {
    visit = await site.visit()
    visit.show('/a', visit.snippet + readers)
    const sent = bodies()
    await visit.page.goto(visit.url('/a?svc_tag=1&svc_t&svc_t=&svc_t=one&&svc_t=two&svc_t'))
    await visit.hits(1)
    expect(await visit.page.evaluate('window.seen')).toBe(visit.url('/a?svc_tag=1&'))
    expect(sent[0]!.events[0]!.link_token).toBe('one')
    expect(await visit.page.evaluate('JSON.stringify(touchline.moments)')).not.toMatch(/svc_t\b/)
  })

  it('is not confused with parameters whose names only begin like it', async () => {
    visit = await site.visit()
    visit.show('/a', visit.snippet + readers)
    await visit.page.goto(visit.url('/a?svc_tag=1&my_svc_t=2'))
    await visit.hits(1)
    expect(await visit.page.evaluate('window.seen')).toBe(visit.url('/a?svc_tag=1&my_svc_t=2'))
  })
})
