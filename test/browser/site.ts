import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { fillLoader, type SnippetSettings, snippetElements } from '../../domain/snippet.ts'
import { trackerPath } from '../../domain/tracker-paths.ts'
import { type Consumer, connectConsumer } from '../../infra/kafka/consumer.ts'
import { chromiumFlags, findChromium } from '../../infra/local/chromium.ts'
import { collectPlugin } from '../../ingest/collect.ts'
import { trackerScriptPlugin } from '../../ingest/tracker-script.ts'
import { issueTrackingKey } from '../../postgres/stores/tracking-keys.ts'
import { ownCodec } from '../../schemas/codec.ts'
import type { Hit, VisitBatch } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import { type BuiltTracker, buildTracker } from '../../tracker/build.ts'
import { collectApp, openWorld, type World } from '../ingest/world.ts'
import { brokers } from '../kafka.ts'
import { createProfile } from '../profiles.ts'

export interface ReceivedHit extends Hit {
  visitor: string
  receivedAt: number
}

export interface Answer {
  html: string
  headers?: Record<string, string>
}

/** For a context: a browser that takes no cookies and says nothing of it. */
export const refusedCookies =
  'Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {}, configurable: true })'

/** One test's site: a profile of its own, and pages that a browser of its own visits. */
export interface Visit {
  profile: string
  settings: SnippetSettings
  context: BrowserContext
  page: Page
  /** Everything that a page wrote as an error, and every exception that nobody caught. */
  errors: string[]
  /** The elements that install the tracker on a page. */
  snippet: string
  snippetWith(settings: Partial<SnippetSettings>): string
  /** Shows this page at a path of every host. */
  show(path: string, page: string | Answer | ((request: IncomingMessage) => Answer)): void
  url(path: string, host?: string): string
  /** The profile's hits, in order of time, once there are as many. */
  hits(count: number): Promise<ReceivedHit[]>
  close(): Promise<void>
}

export interface Site {
  built: BuiltTracker
  collector: string
  world: World
  visit(settings?: Partial<SnippetSettings>, options?: BrowserContextOptions): Promise<Visit>
  close(): Promise<void>
}

/** Real Chromium, the real collector on real engines, and a site under names of its own. */
export async function openSite(): Promise<Site> {
  const [world, built, executablePath] = await Promise.all([
    openWorld(),
    buildTracker(),
    findChromium({ env: process.env, report: console.log }),
  ])
  const app: FastifyInstance = await collectApp(
    world,
    {},
    { plugins: [collectPlugin(world.deps), trackerScriptPlugin(built)] },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const collector = `http://collect.touchline.test:${(app.server.address() as AddressInfo).port}`
  const src = collector + trackerPath
  const browser: Browser = await chromium.launch({
    executablePath,
    args: [...chromiumFlags, '--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.co.uk 127.0.0.1'],
  })
  const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topics.visits.name] })
  const received: VisitBatch[] = []
  const waiting = new Set<() => void>()
  const reading = readAll(consumer, received, () => {
    for (const look of waiting) look()
  })

  const visit = async (settings: Partial<SnippetSettings> = {}, options: BrowserContextOptions = {}) => {
    const profile = await createProfile(world.pool)
    const { trackingKey } = await issueTrackingKey(world.pool, profile)
    const all: SnippetSettings = {
      key: trackingKey.key,
      url: `${collector}/collect`,
      consent: 'not_required',
      gpc: true,
      dnt: false,
      spa: 'history',
      domain: null,
      days: 395,
      ...settings,
    }
    const snippetWith = (more: Partial<SnippetSettings>) =>
      snippetElements(fillLoader(built.loader, src, { ...all, ...more }), src)
    const { server, show, port } = await servePages()
    const context = await browser.newContext(options)
    const errors: string[] = []
    context.on('weberror', (error) => errors.push(String(error.error())))
    const page = await context.newPage()
    const opened: Visit = {
      profile,
      settings: all,
      context,
      page,
      errors,
      snippet: snippetWith({}),
      snippetWith,
      show,
      url: (path, host = 'www.shop.test') => `http://${host}:${port}${path}`,
      hits: (count) => hitsOf(profile, count, received, waiting),
      close: async () => {
        await context.close()
        server.closeAllConnections()
        server.close()
      },
    }
    return opened
  }

  return {
    built,
    collector,
    world,
    visit,
    close: async () => {
      await browser.close()
      consumer.finish()
      await reading
      await consumer.close()
      await app.close()
      await world.close()
    },
  }
}

async function readAll(consumer: Consumer, received: VisitBatch[], onMore: () => void) {
  for (let batch = await consumer.next(); batch; batch = await consumer.next()) {
    for (const { value } of batch.messages) {
      const decoded = ownCodec.decode(topics.visits, value)
      if (decoded.kind === 'ok') received.push(decoded.value)
    }
    onMore()
  }
}

/** Less than a test may take, so that it says what was missing. */
const patienceMs = 40_000

function hitsOf(profile: string, count: number, received: VisitBatch[], waiting: Set<() => void>) {
  return new Promise<ReceivedHit[]>((resolve, reject) => {
    const hitsSoFar = () =>
      received
        .filter((batch) => batch.profile_id === profile)
        .flatMap((batch) =>
          batch.hits.map((hit) => ({ ...hit, visitor: batch.visitor_id, receivedAt: batch.received_at })),
        )
    const giveUp = () => {
      const came = hitsSoFar().map((hit) => `${hit.event_type} ${hit.path}`)
      reject(new Error(`Only ${came.length} of ${count} hits came: ${came.join(', ')}`))
    }
    const late = setTimeout(giveUp, patienceMs)
    const look = () => {
      const hits = hitsSoFar()
      if (hits.length < count) return
      clearTimeout(late)
      waiting.delete(look)
      resolve(hits.sort((a, b) => a.event_time - b.event_time))
    }
    waiting.add(look)
    look()
  })
}

async function servePages() {
  const pages = new Map<string, Parameters<Visit['show']>[1]>()
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const found = pages.get(request.url?.split('?', 1)[0] ?? '')
    const answer = typeof found === 'function' ? found(request) : typeof found === 'string' ? { html: found } : found
    if (!answer) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...answer.headers })
    response.end(`<!doctype html><html><head>${answer.html}</head><body>A page.</body></html>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const show: Visit['show'] = (path, page) => void pages.set(path, page)
  return { server, show, port: (server.address() as AddressInfo).port }
}
