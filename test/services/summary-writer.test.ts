import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSummaryWriter } from '../../services/summary-writer.ts'

/** Stands for any OpenAI-compatible server: what it is asked is recorded, what it answers is set. */
let answer: (response: ServerResponse) => void
const asked: { url: string | undefined; authorization: string | undefined; body: string }[] = []
const server = createServer(async (request: IncomingMessage, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  asked.push({ url: request.url, authorization: request.headers.authorization, body: Buffer.concat(chunks).toString() })
  answer(response)
})
let opened: ReturnType<typeof openSummaryWriter>

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  opened = openSummaryWriter({ ai: { url: `http://127.0.0.1:${port}/v1/`, model: 'small-1', key: 'k-1' } })
})
afterAll(async () => {
  await opened.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const event = { type: 'page_view', time: '2026-10-01T10:00Z', channel: 'direct', value: null, isSynthetic: false }
const says = (content: string) => (response: ServerResponse) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
}

describe('a configured model', () => {
  it('is asked with its key and told the events alone', async () => {
    answer = says('  A journey.\u0000\n\n Twice. ')
    expect(opened.writer.generator).toBe('small-1')
    expect(await opened.writer.write([event], 7)).toBe('A journey.\nTwice.')
    const { url, authorization, body } = asked.at(-1)!
    expect([url, authorization]).toEqual(['/v1/chat/completions', 'Bearer k-1'])
    const { model, messages, max_tokens } = JSON.parse(body)
    expect([model, max_tokens]).toEqual(['small-1', 400])
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user'])
    expect(JSON.parse(messages[1].content)).toEqual({ total_events: 7, events: [event] })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end('{"error":"no"}')],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['something else', (response) => response.end('<html>')],
    ['an empty text', says('   ')],
    ['no choice', (response) => response.end('{"choices":[]}')],
    ['far too much', says('x'.repeat(300_000))],
    ['nothing', (response) => response.destroy()],
  ])('that answers %s has failed', async (_, reply) => {
    answer = reply
    await expect(opened.writer.write([event], 1)).rejects.toThrow('The model gave no answer')
  })

  it('is cut where it talks for too long', async () => {
    answer = says('word '.repeat(2_000))
    expect((await opened.writer.write([event], 1)).length).toBeLessThanOrEqual(4_000)
  })
})
