import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createBusiness } from '../../demo/business.ts'
import { connectSender, Refused } from '../../demo/send.ts'

const { events, hits } = createBusiness({ seed: 7, visitors: 200, until: Date.parse('2026-06-30T15:00:00Z') })
const closing: (() => void)[] = []

/** A service that answers as it is told: the sender's part is what is tried here. */
async function answering(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const sender = connectSender({ baseUrl: `http://127.0.0.1:${port}`, key: 'a-key', trackingKey: 'tl_pub_a' })
  closing.push(
    () => void sender.close(),
    () => void server.close(),
  )
  return sender
}

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

describe('the sender', () => {
  it('sends a delivery again after 429 and 503, as long as it was asked to wait', async () => {
    const answers = [429, 503, 202]
    const arrivals: number[] = []
    const sender = await answering((_, response) => {
      arrivals.push(Date.now())
      response.writeHead(answers[arrivals.length - 1] ?? 202, { 'retry-after': '1' }).end('{}')
    })
    await sender.events(events.slice(0, 1), () => {})

    expect(arrivals).toHaveLength(3)
    expect(arrivals[1]! - arrivals[0]!).toBeGreaterThanOrEqual(990)
  })

  it('sends a delivery again when the connection breaks', async () => {
    let seen = 0
    const sender = await answering((request, response) => {
      if (++seen === 1) request.socket.destroy()
      else response.writeHead(202).end('{}')
    })
    await sender.events(events.slice(0, 1), () => {})

    expect(seen).toBe(2)
  })

  it('stops at a refusal and says what the service said', async () => {
    const sender = await answering((_, response) => void response.writeHead(422).end('validation_error'))

    await expect(sender.events(events, () => {})).rejects.toThrow(Refused)
    await expect(sender.events(events, () => {})).rejects.toThrow('422: validation_error')
  })

  it('sends every visit once, a bounded number of them at a time', async () => {
    const seen: string[] = []
    let open = 0
    let most = 0
    const sender = await answering((request, response) => {
      most = Math.max(most, ++open)
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        seen.push(JSON.parse(body).events[0].event_id)
        setImmediate(() => {
          open--
          response.writeHead(204).end()
        })
      })
    })
    let done = 0
    await sender.hits(hits, () => {
      done++
    })

    expect(seen.sort()).toEqual(hits.map(({ events: [first] }) => first!.event_id).sort())
    expect(done).toBe(hits.length)
    expect(most).toBeLessThanOrEqual(48)
  })
})
