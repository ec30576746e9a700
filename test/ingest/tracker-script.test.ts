import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pinnedTrackerPath, trackerPath } from '../../domain/tracker-paths.ts'
import { answerFailures } from '../../http/failures.ts'
import { trackerScriptPlugin } from '../../ingest/tracker-script.ts'
import { type BuiltTracker, buildTracker } from '../../tracker/build.ts'

let built: BuiltTracker
let app: FastifyInstance
beforeAll(async () => {
  built = await buildTracker()
  app = Fastify()
  answerFailures(app, 'http://localhost')
  app.register(async (scope) => trackerScriptPlugin(built)(scope))
})
afterAll(() => app.close())

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

it('is smaller than 6 KB, and its loader than 1 KB, as browsers fetch them', () => {
  expect(gzipSync(built.script, { level: 9 }).length).toBeLessThan(6 * 1024)
  expect(gzipSync(built.loader, { level: 9 }).length).toBeLessThan(1024)
})

it('is compiled as a whole, and what a page carries survives an editor that joins its lines', () => {
  expect(built.script.split('\n', 1)[0]).toBe('//# allFunctionsCalledOnLoad')
  expect(built.loader + built.storePixel).not.toMatch(/^\s*\/\//m)
})

it('is the same wherever it is built', async () => {
  expect(await buildTracker()).toEqual(built)
})

it('can stand inside a script element', () => {
  expect(built.script + built.loader).not.toMatch(/<\/script|<!--/i)
})

it('is found at one address for ever, and asked for again after minutes', async () => {
  const answer = await get(trackerPath)
  expect(answer.body).toBe(built.script)
  expect(answer.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    etag: `"${built.hash}"`,
    'cross-origin-resource-policy': 'cross-origin',
  })
  const again = await get(trackerPath, { 'if-none-match': `W/"other", "${built.hash}"` })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

it('is found under its own hash, where it never changes', async () => {
  const answer = await get(pinnedTrackerPath(built.hash))
  expect(answer.body).toBe(built.script)
  expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable')
})

it('is found from the address of an older script as well', async () => {
  const answer = await get(pinnedTrackerPath('0123456789abcdef'))
  expect([answer.statusCode, answer.headers.location]).toEqual([302, trackerPath])
  for (const name of ['nonsense', '..%2f..%2fpackage.json', 'zzzzzzzzzzzzzzzz.js']) {
    expect((await get(`/tracker/v1/${name}`)).json().error.code).toBe('not_found')
  }
})

it('comes compressed as the browser likes it', async () => {
  const br = await get(trackerPath, { 'accept-encoding': 'gzip, deflate, br' })
  expect(br.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(br.rawPayload).toString()).toBe(built.script)
  const gzip = await get(trackerPath, { 'accept-encoding': 'gzip, br;q=0' })
  expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(gunzipSync(gzip.rawPayload).toString()).toBe(built.script)
})
