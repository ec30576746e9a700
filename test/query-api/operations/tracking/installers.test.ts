import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer } from '../../../http/test-app.ts'
import { createProfile } from '../../../profiles.ts'
import { openTrackingApp, type TrackingApp, trackerUrl } from './tracking-app.ts'

let tracking: TrackingApp
beforeAll(async () => {
  tracking = await openTrackingApp()
})
afterAll(() => tracking.close())

describe('the snippet', () => {
  it('carries the script’s address, the key and the settings', async () => {
    const { id, key, call } = await tracking.profile()
    const { status, body } = await call('GET', '/snippet')
    expect(status).toBe(200)
    expect(body).toEqual({
      data: {
        snippet: expect.stringMatching(/^<script>.+<\/script>$/s),
        tag: expect.stringContaining(`<script src="${trackerUrl}/tracker/v1/touchline.js" data-touchline="{&quot;key`),
        src: `${trackerUrl}/tracker/v1/touchline.js`,
        pinned: {
          src: `${trackerUrl}/tracker/v1/${tracking.deps.tracker.hash}.js`,
          integrity: expect.stringMatching(/^sha384-/),
        },
        collect_url: `${trackerUrl}/collect`,
        tracking_key: key,
        pixel_id: null,
      },
      meta: { profile_id: id },
    })
    expect(body.data.snippet).toContain(JSON.stringify(`${trackerUrl}/tracker/v1/touchline.js`))
    expect(body.data.snippet).toContain(`"key":"${key}","url":"${trackerUrl}/collect"`)
  })

  it('changes with the settings', async () => {
    const { call } = await tracking.profile()
    await call('PATCH', '/settings', { consent_mode: 'required', honour_gpc: false, spa_mode: 'off', cookie_days: 7 })
    const { body } = await call('GET', '/snippet')
    expect(body.data.snippet).toContain(
      '"consent":"required","gpc":false,"dnt":false,"spa":"off","domain":null,"days":7',
    )
  })

  it('is the whole script where a script is asked for', async () => {
    const { headers, key } = await tracking.profile()
    const url = '/api/v1/tracking/snippet'
    for (const accept of ['text/javascript', 'application/javascript;q=0.9, */*;q=0.1']) {
      const answer = await tracking.app.inject({ url, headers: { ...headers, accept } })
      expect(answer.headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', vary: 'Accept' })
      expect(answer.body).toContain(key)
      expect(answer.body).toContain(tracking.deps.tracker.script)
    }
    const json = await tracking.app.inject({ url, headers: { ...headers, accept: '*/*' } })
    expect(json.json().data.tracking_key).toBe(key)
  })

  it('brings a pixel along, under the same consent', async () => {
    const { call, headers } = await tracking.profile()
    const { body } = await call('GET', '/snippet?pixel_id=1234567890123456')
    expect(body.data.pixel_id).toBe('1234567890123456')
    expect(body.data.snippet).toContain('touchline:consent')
    expect(body.data.snippet).toContain('"1234567890123456"')
    const url = '/api/v1/tracking/snippet?pixel_id=1234567890123456'
    const raw = await tracking.app.inject({ url, headers: { ...headers, accept: 'text/javascript' } })
    expect(raw.body).toContain('"1234567890123456"')
    for (const id of ['abc', '12', '1"};alert(1)//', '']) {
      const refused = await call('GET', `/snippet?pixel_id=${encodeURIComponent(id)}`)
      expect(refused.body.error).toMatchObject({ code: 'invalid_parameter', status: 400 })
    }
  })

  it('needs a tracking key', async () => {
    const profile = await createProfile(tracking.pool)
    const headers = await bearer(tracking.pool, profile, ['analytics:read'])
    for (const path of ['snippet', 'installers/gtm', 'installers/store-pixel']) {
      const answer = await tracking.app.inject({ url: `/api/v1/tracking/${path}`, headers })
      expect(answer.json().error).toMatchObject({ code: 'invalid_state', reason: 'no_tracking_key' })
    }
  })
})

describe('the tag-manager container', () => {
  it('is in the export format, with one tag on all pages', async () => {
    const { call, key } = await tracking.profile()
    const { body } = await call('GET', '/installers/gtm')
    const { container } = body.data
    expect(container).toMatchObject({
      exportFormatVersion: 2,
      containerVersion: { container: { usageContext: ['WEB'] } },
    })
    expect(container.exportTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    const [tag] = container.containerVersion.tag
    expect(tag).toMatchObject({ type: 'html', firingTriggerId: ['2147479553'] })
    const html = tag.parameter.find((parameter: { key: string }) => parameter.key === 'html')
    expect(html).toMatchObject({ type: 'TEMPLATE' })
    expect(html.value).toContain(key)
    // Every object names the account and the container that an import replaces.
    for (const part of [container.containerVersion, container.containerVersion.container, tag]) {
      expect(part).toMatchObject({ accountId: '0', containerId: '0' })
    }
  })

  it('comes as a file that can be imported as it is', async () => {
    const { headers } = await tracking.profile()
    const answer = await tracking.app.inject({ url: '/api/v1/tracking/installers/gtm?download=true', headers })
    expect(answer.headers['content-disposition']).toBe('attachment; filename="touchline-container.json"')
    expect(answer.json().exportFormatVersion).toBe(2)
  })
})

describe('the store pixel', () => {
  it('is the same under both names, and good code', async () => {
    const { call, key } = await tracking.profile()
    const neutral = await call('GET', '/installers/store-pixel')
    expect(neutral.body.data).toMatchObject({ tracking_key: key, collect_url: `${trackerUrl}/collect` })
    expect((await call('GET', '/installers/shopify-pixel')).body).toEqual(neutral.body)
    expect(() => new Function(neutral.body.data.code)).not.toThrow()
    expect(neutral.body.data.code).not.toContain('TOUCHLINE_')
  })

  /** The store's sandbox, with the cookies of its storefront. */
  async function inStore(code: string, stored: Record<string, string>, signals: object = {}) {
    const handlers = new Map<string, (event: object) => void>()
    const sent: { tracking_key: string; visitor_id: string; events: object[] }[] = []
    const analytics = {
      subscribe: (name: string, handler: (event: object) => void) => void handlers.set(name, handler),
    }
    const cookies = new Map(Object.entries(stored))
    const written: string[] = []
    const set = async (text: string) => {
      written.push(text)
      const [, name, value] = /^(\w+)=([^;]*)/.exec(text)!
      cookies.set(name!, value!)
    }
    const browser = { cookie: { get: async (name: string) => cookies.get(name) ?? '', set } }
    const fetch = async (_url: string, { body }: { body: string }) => void sent.push(JSON.parse(body))
    new Function('analytics', 'browser', 'fetch', 'navigator', code)(analytics, browser, fetch, signals)
    const tell = async (name: string, data: object = {}, path = '/cart', referrer = '') => {
      handlers.get(name)!({
        id: 'event-1',
        timestamp: '2026-06-01T12:00:00.000Z',
        context: { document: { location: { href: `https://www.shop.example${path}` }, referrer } },
        data,
      })
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { tell, sent, written }
  }

  const codeFor = async (settings?: object) => {
    const { call, key } = await tracking.profile()
    if (settings) expect((await call('PATCH', '/settings', settings)).status).toBe(200)
    return { key, data: (await call('GET', '/installers/store-pixel')).body.data }
  }

  it('reports views and checkouts with the storefront’s visitor', async () => {
    const { key, data } = await codeFor()
    const { tell, sent, written } = await inStore(data.code, { _tl_vid: 'visitor-7.20000' })
    await tell('page_viewed')
    const checkout = {
      order: { id: 'order-9' },
      totalPrice: { amount: 12.5 },
      currencyCode: 'USD',
      email: 'ana@example.com',
      billingAddress: { firstName: 'Ana', countryCode: 'CL' },
    }
    await tell('checkout_completed', { checkout })
    expect(sent).toMatchObject([
      { tracking_key: key, visitor_id: 'visitor-7', events: [{ event_id: 'event-1', event_type: 'page_view' }] },
      {
        events: [
          {
            event_id: 'order-9',
            event_type: 'checkout_completed',
            properties: { value: 12.5, currency: 'USD' },
            user_traits: { email: 'ana@example.com', first_name: 'Ana', country: 'CL' },
          },
        ],
      },
    ])
    // The widest domain, as the tracker's cookie is on, and once a day.
    expect(written).toEqual([
      expect.stringMatching(
        /^_tl_vid=visitor-7\.\d+; path=\/; max-age=34128000; SameSite=Lax; Secure; domain=shop\.example$/,
      ),
    ])
  })

  it('sends of addresses what the tracker would', async () => {
    const { tell, sent } = await inStore((await codeFor()).data.code, {})
    const referrer = 'https://mail.example/u/ana@example.com?q=1'
    await tell('page_viewed', {}, '/of/ana@example.com?gclid=G1&email=ana%40example.com&svc_t=T1#top', referrer)
    await tell('page_viewed')
    const [
      ,
      {
        events: [plain],
      } = { events: [] },
    ] = sent
    expect(sent[0]!.events).toMatchObject([
      { url: 'https://www.shop.example/of/:email?gclid=G1', referrer: 'https://mail.example/u/:email' },
    ])
    expect(plain).toMatchObject({ url: 'https://www.shop.example/cart' })
    expect(plain).not.toHaveProperty('referrer')
  })

  it('keeps the visitor on the domain of the settings, as the tracker does', async () => {
    const own = await inStore((await codeFor({ cookie_domain: 'www.shop.example', cookie_days: 30 })).data.code, {})
    await own.tell('page_viewed')
    expect(own.written).toEqual([expect.stringMatching(/; max-age=2592000; .*; domain=www\.shop\.example$/)])
    expect(own.sent).toMatchObject([{ visitor_id: expect.stringMatching(/^[\w-]{8,64}$/) }])
  })

  it.each([
    ['the visitor’s refusal', {}, { _tl_c: '0' }, {}],
    ['a browser’s Global Privacy Control', {}, { _tl_c: '1' }, { globalPrivacyControl: true }],
    ['Do Not Track where the site listens to it', { honour_dnt: true }, {}, { doNotTrack: '1' }],
    ['that nobody has consented yet where it is required', { consent_mode: 'required' }, {}, {}],
  ])('respects %s: nothing is sent or stored', async (_what, settings, stored, signals) => {
    const { tell, sent, written } = await inStore((await codeFor(settings)).data.code, stored, signals)
    await tell('page_viewed')
    await tell('checkout_completed', { checkout: { email: 'ana@example.com' } })
    expect([sent, written]).toEqual([[], []])
  })

  it.each([
    ['consented where it is required', { consent_mode: 'required' }, { _tl_c: '1' }, {}],
    ['sends a signal that the site does not listen to', { honour_gpc: false }, {}, { globalPrivacyControl: true }],
  ])('reports a visitor who %s', async (_what, settings, stored, signals) => {
    const { tell, sent } = await inStore((await codeFor(settings)).data.code, stored, signals)
    await tell('page_viewed')
    expect(sent).toHaveLength(1)
  })

  it('says whether its hits are taken, as it sends from no origin', async () => {
    const allowed = async (allowed_origins: string[]) => (await codeFor({ allowed_origins })).data.is_origin_allowed
    expect(await allowed([])).toBe(true)
    expect(await allowed(['https://shop.example'])).toBe(false)
    expect(await allowed(['https://shop.example', 'null'])).toBe(true)
  })
})
