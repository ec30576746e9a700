import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, test } from 'vitest'
import { addressList } from '../../infra/address-list.ts'
import { connectOutbound, type Outbound, type OutboundOptions } from '../../infra/outbound.ts'
import { isPublicUnicast } from '../../infra/public-address.ts'
import { type DnsServer, type Records, startDnsServer } from './dns-server.ts'

const loopback = addressList('127.0.0.1')!
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serve(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function dns(records: Records): Promise<DnsServer> {
  const server = await startDnsServer(records)
  closing.push(server.close)
  return server
}

function open(options: OutboundOptions = {}): Outbound {
  const outbound = connectOutbound(options)
  closing.push(outbound.close)
  return outbound
}

const refused = (reason: string) => expect.objectContaining({ name: 'OutboundError', reason })

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.0.0.8', '192.0.2.1'],
  ...['192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', 'fc00::1', 'fe80::1', 'ff02::1'],
  ...['2001:db8::1', '2001::1', '2002:7f00:1::', '3fff::1', 'not an address', ''],
])('%s is not public', (address) => expect(isPublicUnicast(address)).toBe(false))

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => expect(isPublicUnicast(address)).toBe(true),
)

describe('an address that a caller chose', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:169.254.169.254]/latest/meta-data',
    'http://169.254.169.254/',
    'http://0/',
  ])('%s is not called: it is not public', async (url) => {
    await expect(open().send(url)).rejects.toEqual(refused('address_not_public'))
  })

  it('may name the loopback in a name without being called', async () => {
    await expect(open().send('http://localhost:1/')).rejects.toEqual(refused('address_not_public'))
  })

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'http://user:secret@example.com/', 'nonsense', ''])(
    '%s is no address to call',
    async (url) => {
      await expect(open().send(url)).rejects.toEqual(refused('invalid_url'))
    },
  )

  it('is resolved once, and only what was judged is connected to', async () => {
    const records: Records = { 'rebind.example': { A: ['127.0.0.1'] } }
    const server = await dns(records)
    const port = await serve((_request, response) => response.end('never'))
    await expect(open({ dnsServers: [server.address] }).send(`http://rebind.example:${port}/`)).rejects.toEqual(
      refused('address_not_public'),
    )
    const allowed = open({ dnsServers: [server.address], isAllowed: loopback })
    await allowed.send(`http://rebind.example:${port}/`)
    expect(server.asked.filter((name) => name === 'A rebind.example')).toHaveLength(2)
  })

  it('with a public and a private address is called at the allowed one only', async () => {
    const server = await dns({ 'two.example': { A: ['10.0.0.1', '127.0.0.1'] } })
    const port = await serve((_request, response) => response.end('here'))
    const outbound = open({ dnsServers: [server.address], isAllowed: loopback })
    expect((await outbound.send(`http://two.example:${port}/`)).body.toString()).toBe('here')
  })

  it('that no name server knows is not found', async () => {
    const server = await dns({})
    await expect(open({ dnsServers: [server.address] }).send('http://nobody.example/')).rejects.toEqual(
      refused('name_not_found'),
    )
  })
})

describe('a call', () => {
  it('sends its method, headers and body, and brings back status, headers and body', async () => {
    const port = await serve(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.writeHead(201, { 'x-seen': String(request.headers['x-mine']) })
      response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)}`)
    })
    const answer = await open({ isAllowed: loopback }).send(`http://127.0.0.1:${port}/a?b=1#c`, {
      method: 'POST',
      headers: { 'x-mine': 'yes' },
      body: 'hello',
    })
    expect(answer).toMatchObject({ status: 201, headers: { 'x-seen': 'yes' }, isCut: false })
    expect(answer.body.toString()).toBe('POST /a?b=1 hello')
  })

  it('follows no redirect', async () => {
    const port = await serve((_request, response) => response.writeHead(302, { location: '/there' }).end())
    expect(await open({ isAllowed: loopback }).send(`http://127.0.0.1:${port}/`)).toMatchObject({
      status: 302,
      headers: { location: '/there' },
    })
  })

  it('ends when its time is over, however slowly the answer trickles in', async () => {
    const port = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20)
      response.once('close', () => clearInterval(timer))
    })
    const sent = open({ isAllowed: loopback }).send(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })
    await expect(sent).rejects.toEqual(refused('timed_out'))
  })

  it('reads no more than it was told, and says so or fails', async () => {
    const port = await serve((_request, response) => response.end('x'.repeat(300_000)))
    const outbound = open({ isAllowed: loopback })
    const url = `http://127.0.0.1:${port}/`
    await expect(outbound.send(url, { maxBytes: 1000 })).rejects.toEqual(refused('too_large'))
    const answer = await outbound.send(url, { maxBytes: 1000, whenLarger: 'cut' })
    expect([answer.body.length, answer.isCut]).toEqual([1000, true])
  })

  it('to a port where nobody listens is unreachable', async () => {
    await expect(open({ isAllowed: loopback }).send('http://127.0.0.1:1/')).rejects.toEqual(refused('unreachable'))
  })
})
