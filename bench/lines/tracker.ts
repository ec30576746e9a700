import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { fillLoader, scriptElement } from '../../domain/snippet.ts'
import { chromiumFlags, findChromium } from '../../infra/local/chromium.ts'
import { trackerPath } from '../../ingest/tracker-script.ts'
import { buildTracker } from '../../tracker/build.ts'
import { type Line, median, valueAtMost } from '../line.ts'
import { openProfile } from '../profile.ts'

const slowdown = 4
const loads = 10

/** Longer than anything that the tracker puts off at load. */
const settleMs = 2_000

/** What the tracker costs a page's main thread on a slow phone: snippet, script, and what they set off at load. */
export const tracker: Line = {
  name: 'tracker',
  figures: [
    {
      name: `main thread at load, CPU slowed ${slowdown}-fold`,
      unit: 'ms',
      beside: 'the same page with an empty script',
      target: valueAtMost(5),
    },
  ],
  async open(stage) {
    const { trackingKey } = await openProfile(stage)
    const api = await stage.service('api')
    const { loader } = await buildTracker()
    const { baseUrl } = stage.config
    const settings = {
      key: trackingKey,
      url: `${baseUrl}/collect`,
      consent: 'not_required',
      gpc: true,
      dnt: false,
      spa: 'history',
      domain: null,
      days: 395,
    } as const
    // From another origin, as the tracker comes.
    const elsewhere = await servePages({})
    const empty = `var s=document.createElement("script");s.async=!0;s.src="${elsewhere.url}/empty.js";document.head.appendChild(s)`
    const site = await servePages({
      '/ours': scriptElement(fillLoader(loader, baseUrl + trackerPath, settings)),
      '/empty': scriptElement(empty),
    })
    const executablePath = await findChromium({ env: stage.env, report: stage.report })
    return {
      async measure() {
        const browser = await chromium.launch({ executablePath, args: chromiumFlags })
        const times = { ours: [] as number[], empty: [] as number[] }
        // One after the other, so that a busy moment of the machine meets both.
        try {
          for (let load = 0; load < (stage.isQuick ? 5 : loads); load++) {
            for (const path of ['empty', 'ours'] as const) {
              const context = await browser.newContext()
              times[path].push(await mainThreadMs(context, `${site.url}/${path}`))
              await context.close()
            }
          }
        } finally {
          await browser.close()
        }
        return [{ value: median(times.ours), limit: median(times.empty) }]
      },
      async close() {
        site.close()
        elsewhere.close()
        await api.stop()
      },
    }
  },
}

async function servePages(heads: Record<string, string>) {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? ''
    if (path === '/empty.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end('0')
    else {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<!doctype html><html><head>${heads[path] ?? ''}</head><body>A page.</body></html>`)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, close }
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** On the clock of the thread itself: other processes on the machine do not count. */
  tts: number
  tdur: number
  args: { data?: { url?: string } }
}

const scripting = new Set(['EvaluateScript', 'v8.compile', 'FunctionCall'])
// The page has no other scripts, so whatever goes off is the tracker's.
const deferred = new Set(['TimerFire', 'FireIdleCallback', 'RunMicrotasks'])

/** Time of the main thread in which the page's only scripts ran, each moment counted once, until nothing is put off. */
async function mainThreadMs(context: BrowserContext, url: string): Promise<number> {
  const page: Page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const folder = mkdtempSync(join(tmpdir(), 'touchline-trace-'))
  const browser = context.browser()!
  await browser.startTracing(page, { path: join(folder, 'trace.json'), categories: ['devtools.timeline', 'v8'] })
  await page.goto(`${url}?gclid=G1&utm_source=meta`, { waitUntil: 'networkidle' })
  await sleep(settleMs)
  const trace = await browser.stopTracing()
  rmSync(folder, { recursive: true })
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const isOurs = ({ name, args }: TraceEvent) => scripting.has(name) && args.data?.url?.startsWith('http')
  const main = traceEvents.find((event) => event.name === 'EvaluateScript' && isOurs(event))!
  const spans = traceEvents
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === main.pid && tid === main.tid)
    .filter((event) => isOurs(event) || deferred.has(event.name))
    .map(({ tts, tdur }) => ({ from: tts, to: tts + tdur }))
    .sort((a, b) => a.from - b.from)
  let total = 0
  let end = 0
  for (const { from, to } of spans) {
    total += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return total / 1000
}
