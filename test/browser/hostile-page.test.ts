import { describe, expect, it } from 'vitest'
import { bundledScript, fillLoader, scriptElement, scriptTag, snippetElements } from '../../domain/snippet.ts'
import { trackerPath } from '../../domain/tracker-paths.ts'
import type { Visit } from './site.ts'
import { siteOfFile } from './site-of-file.ts'

const site = siteOfFile()
let visit: Visit

const boom = '() => { throw new Error("mine now") }'

describe('a page that has', () => {
  it.each([
    ['given arrays a toJSON', 'Array.prototype.toJSON = function () { return JSON.stringify("[]") }'],
    ['replaced JSON', `window.JSON = { stringify: ${boom}, parse: ${boom} }`],
    [
      'broken the methods of arrays and texts',
      `for (const name of ['push','map','filter','concat','slice','splice','join','indexOf','forEach']) Array.prototype[name] = ${boom}
       for (const name of ['split','replace','slice','indexOf']) String.prototype[name] = ${boom}`,
    ],
    ['stopped the clock', 'Date.now = () => 0; Date = function () { return {} }'],
    ['replaced promises and fetch', `window.Promise = ${boom}; window.fetch = ${boom}`],
    ['replaced fetch by one that never answers', 'window.fetch = () => { throw 1 }'],
    ['replaced the accessors of cookies', `Object.defineProperty(document, 'cookie', { get: ${boom}, set: ${boom} })`],
    ['closed its storage', `Object.defineProperty(window, 'localStorage', { get: ${boom} })`],
    ['frozen its history', 'Object.freeze(history); Object.defineProperty(window, "navigation", { value: undefined })'],
    ['given every object a property', 'Object.prototype.extra = 1; Object.prototype.toString = () => "x"'],
    ['no random numbers', `Object.defineProperty(window, 'crypto', { value: undefined })`],
    ['replaced its listeners', `window.addEventListener = document.addEventListener = ${boom}`],
    ['an element of the same name', 'document.documentElement.id = "touchline"'],
    ['another thing of the same name', 'window.touchline = 7'],
  ])('%s is tracked and sees no error', async (_name, code) => {
    visit = await site.visit()
    visit.show('/', `<script>${code}</script>${visit.snippet}`)
    await visit.page.goto(visit.url('/?gclid=G1'))
    const [hit] = await visit.hits(1)
    expect(hit).toMatchObject({ event_type: 'page_view', path: '/', click_ids: { gclid: 'G1' } })
    expect(Math.abs(hit!.event_time - hit!.receivedAt)).toBeLessThan(60_000)
  })

  it('broken everything after the snippet still reaches its tracker', async () => {
    visit = await site.visit()
    visit.show(
      '/',
      `${visit.snippet}<script>Array.prototype.push = Array.prototype.concat = ${boom}; touchline.track("hello")</script>`,
    )
    await visit.page.goto(visit.url('/'))
    expect((await visit.hits(2)).map((hit) => hit.event_type).sort()).toEqual(['hello', 'page_view'])
  })

  it('closed the list of calls before it rested is tracked and sees no error', async () => {
    visit = await site.visit()
    const restless =
      'const rest = requestIdleCallback, waiting = []; requestIdleCallback = (work) => waiting.push(work)'
    visit.show('/', `${scriptElement(restless)}${visit.snippet}`)
    await visit.page.goto(visit.url('/'))
    await visit.page.waitForFunction('window.touchline && window.touchline.isLoaded')
    await visit.page.evaluate(`Object.freeze(touchline); touchline.track('unheard'); touchline.visitorId()`)
    await visit.page.evaluate('requestIdleCallback = rest; waiting.forEach((work) => rest(work))')
    expect((await visit.hits(1)).map((hit) => hit.event_type)).toEqual(['page_view'])
  })

  it('made its name read-only sees no error', async () => {
    visit = await site.visit()
    visit.show(
      '/',
      `<script>Object.defineProperty(window, 'touchline', { value: Object.freeze([]) })</script>${visit.snippet}`,
    )
    visit.show('/fine', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.goto(visit.url('/fine'))
    expect((await visit.hits(1)).map((hit) => hit.path)).toContain('/fine')
  })
})

describe('a content-security policy', () => {
  const policy = (text: string) => ({ 'content-security-policy': text })

  it('with a nonce lets the snippet and the script that it loads run', async () => {
    visit = await site.visit()
    const html = visit.snippet.replaceAll('<script', '<script nonce="abc"')
    visit.show('/', {
      html,
      headers: policy(`default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; connect-src ${site.collector}`),
    })
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })

  it('that forbids code in the page is met by the tag', async () => {
    visit = await site.visit()
    visit.show('/', {
      html: scriptTag(site.collector + trackerPath, visit.settings),
      headers: policy(`default-src 'none'; script-src ${site.collector}; connect-src ${site.collector}`),
    })
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })

  it('with a nonce does not keep a broken page from being tracked', async () => {
    visit = await site.visit()
    const html = `<script>Array.prototype.toJSON = () => 1</script>${visit.snippet}`.replaceAll(
      '<script',
      '<script nonce="abc"',
    )
    visit.show('/', { html, headers: policy(`script-src 'nonce-abc'; connect-src ${site.collector}`) })
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })

  it('that forbids the collector costs the hits and nothing else', async () => {
    visit = await site.visit()
    visit.show('/', { html: visit.snippet, headers: policy(`connect-src 'none'`) })
    visit.show('/open', visit.snippet)
    await visit.page.goto(visit.url('/'))
    await visit.page.waitForFunction('Object.keys(localStorage).length === 1')
    await visit.page.goto(visit.url('/open'))
    expect((await visit.hits(2)).map((hit) => hit.path).sort()).toEqual(['/', '/open'])
  })
})

describe('a site that serves everything itself', () => {
  it('carries the whole script in one file', async () => {
    visit = await site.visit()
    visit.show('/', scriptElement(bundledScript(site.built.script, visit.settings).replaceAll('</', '<\\/')))
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })

  it('sends to its own origin', async () => {
    visit = await site.visit()
    const own = visit.url('/collect')
    await visit.context.route(own, (route) => route.continue({ url: `${site.collector}/collect` }))
    const src = site.collector + trackerPath
    visit.show('/', snippetElements(fillLoader(site.built.loader, src, { ...visit.settings, url: own }), src))
    await visit.page.goto(visit.url('/'))
    expect(await visit.hits(1)).toHaveLength(1)
  })
})
