import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { fillLoader, snippetElements } from '../../domain/snippet.ts'
import { trackerPath } from '../../domain/tracker-paths.ts'
import { findChromium } from '../../infra/local/chromium.ts'
import { buildTracker } from '../../tracker/build.ts'
import { type Line, median, ratioAtMost, valueAtMost } from '../line.ts'
import { openProfile } from '../profile.ts'
import { openTracedBrowser, type TracedBrowser, type TraceEvent } from '../traced-browser.ts'

/**
 * How much slower a phone is. Chromium's own slowdown makes the thread spin for three times what went by on the clock, also
 * while the thread waited for another process. So the thread's own time, taken four times, which is what a processor four
 * times as slow needs, is told as well.
 */
const slowdown = 4
const loads = 9

/** Longer than a slowed page takes to load, and than anything that the tracker puts off then. */
const settleMs = 2_500

/**
 * What the tracker costs a page's main thread on a slow phone. At load: everything outside of idle periods, until nothing
 * more comes, that is to ask for the script, to compile and run it and the snippet, and its listeners, timers and
 * microtasks. In idle periods, which the browser gives when the page has nothing to do: each piece may be as long as the
 * browser says a task may last before it is a long one. All of it together stands beside a peer's, which puts nothing off.
 */
export const tracker: Line = {
  name: 'tracker',
  figures: [
    {
      name: `main thread at load, slowed ${slowdown}-fold by Chromium`,
      unit: 'ms',
      beside: 'the same page with an empty script',
      target: valueAtMost(5),
    },
    {
      name: `main thread at load, its own time ${slowdown} times`,
      unit: 'ms',
      beside: 'the same page with an empty script',
      target: valueAtMost(5),
    },
    {
      name: `longest piece put off to an idle period, ${slowdown} times`,
      unit: 'ms',
      beside: 'all that is put off',
      target: valueAtMost(50),
    },
    {
      name: `main thread in all, idle periods too, ${slowdown} times`,
      unit: 'ms',
      beside: "Snowplow's tracker telling the same view",
      target: ratioAtMost(0.33),
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
    const elsewhere = await servePages({}, { '/empty.js': '0', '/snowplow.js': await bundleSnowplow() })
    const src = baseUrl + trackerPath
    const site = await servePages({
      '/ours': snippetElements(fillLoader(loader, src, settings), src),
      '/empty': snippetElements('', `${elsewhere.url}/empty.js`),
      '/snowplow': snippetElements('', `${elsewhere.url}/snowplow.js`),
    })
    const executablePath = await findChromium({ env: stage.env, report: stage.report })
    return {
      async measure() {
        const browser = await openTracedBrowser(executablePath, stage.env)
        const ours: Load[] = []
        const empty: Load[] = []
        const snowplow: Load[] = []
        const slowed = { ours: [] as Load[], empty: [] as Load[] }
        // One after the other, so that a busy moment of the machine meets all.
        try {
          for (let load = 0; load < (stage.isQuick ? 3 : loads); load++) {
            empty.push(await loadPage(browser, `${site.url}/empty`))
            ours.push(await loadPage(browser, `${site.url}/ours`))
            snowplow.push(await loadPage(browser, `${site.url}/snowplow`))
            slowed.empty.push(await loadPage(browser, `${site.url}/empty`, slowdown))
            slowed.ours.push(await loadPage(browser, `${site.url}/ours`, slowdown))
          }
        } finally {
          await browser.close()
        }
        const own = (of: Load[], figure: keyof Load) => median(of.map((load) => load[figure]))
        const ms = (of: Load[], figure: keyof Load) => slowdown * own(of, figure)
        return [
          { value: own(slowed.ours, 'atLoadMs'), limit: own(slowed.empty, 'atLoadMs') },
          { value: ms(ours, 'atLoadMs'), limit: ms(empty, 'atLoadMs') },
          { value: ms(ours, 'longestIdleMs'), limit: ms(ours, 'idleMs') },
          { value: ms(ours, 'allMs'), limit: ms(snowplow, 'allMs') },
        ]
      },
      async close() {
        site.close()
        elsewhere.close()
        await api.stop()
      },
    }
  },
}

// The browser's own first uses (a page's scripts, a function, a listener, a request) are the page's: it has a style and a
// script of its own, as short as pages have them. Each script stands on a line of its own, by which the trace tells them
// apart.
const ownScript =
  'document.documentElement.className="js";' +
  'document.addEventListener("DOMContentLoaded",function(){' +
  'document.body.addEventListener("click",function(){this.className="open"})})'
const ownHead = `<link rel="stylesheet" href="/own.css">\n<script>${ownScript}</script>\n`
const snippetLine = 3

async function servePages(heads: Record<string, string>, scripts: Record<string, string> = {}) {
  const answerTo = (path: string): [type: string, body: string] => {
    if (path === '/own.css') return ['text/css', 'body{margin:0}']
    if (scripts[path]) return ['text/javascript', scripts[path]]
    return ['text/html', `<!doctype html><html><head>${ownHead}${heads[path] ?? ''}</head><body>A page.</body></html>`]
  }
  const server = createServer((request, response) => {
    const [type, body] = answerTo(request.url?.split('?', 1)[0] ?? '')
    response.writeHead(200, { 'content-type': type }).end(body)
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

/** Built as ours is. */
async function bundleSnowplow(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../programs/snowplow-page.js')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2018',
    write: false,
  })
  return outputFiles[0]!.text
}

/** Time of the page's main thread, each moment counted once. */
interface Load {
  allMs: number
  atLoadMs: number
  idleMs: number
  longestIdleMs: number
}

const scripting = new Set(['EvaluateScript', 'v8.compile', 'FunctionCall'])
const request = 'ResourceFetcher::requestResource'
const idlePeriod = 'FireIdleCallback'
// The page's own script sets nothing off, so whatever goes off is the tracker's.
const setOff = new Set(['TimerFire', 'RunMicrotasks', idlePeriod])

async function loadPage(browser: TracedBrowser, url: string, rate = 1): Promise<Load> {
  const address = `${url}?gclid=G1&utm_source=meta`
  return measured(await browser.load(address, rate, settleMs), address)
}

function measured(events: TraceEvent[], page: string): Load {
  const isScript = (address = '') => address.startsWith('http') && address.endsWith('.js')
  const isOurs = ({ name, args: { url, data } }: TraceEvent) =>
    setOff.has(name) ||
    (name === request && isScript(url)) ||
    (scripting.has(name) && (isScript(data?.url) || (data?.url === page && data.lineNumber === snippetLine)))
  const main = events.find(({ name, args }) => name === 'EvaluateScript' && args.data?.url === page)!
  const spans = events
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === main.pid && tid === main.tid)
    .filter(isOurs)
    .map(({ name, tts, tdur }) => ({ isIdle: name === idlePeriod, from: tts, to: tts + tdur }))
  const idle = spans.filter((span) => span.isIdle)
  const allMs = covered(spans)
  const idleMs = covered(idle)
  return {
    allMs,
    atLoadMs: allMs - idleMs,
    idleMs,
    longestIdleMs: Math.max(0, ...idle.map(({ from, to }) => (to - from) / 1000)),
  }
}

function covered(spans: { from: number; to: number }[]): number {
  let total = 0
  let end = 0
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return total / 1000
}
