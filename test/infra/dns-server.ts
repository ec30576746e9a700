import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type Records = Record<string, { A?: string[]; AAAA?: string[]; CNAME?: string; TXT?: string[] } | 'SERVFAIL'>

export interface DnsServer {
  /** What a resolver is given: `address:port`. */
  address: string
  /** The names that were asked for, as `TYPE name`. */
  asked: string[]
  close(): Promise<void>
}

const types: Record<number, 'A' | 'CNAME' | 'TXT' | 'AAAA'> = { 1: 'A', 5: 'CNAME', 16: 'TXT', 28: 'AAAA' }

/** A small name server on the loopback. The records are read at each question, so a test may change them. */
export async function startDnsServer(records: Records): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question)
    const typeName = types[type] ?? 'A'
    asked.push(`${typeName} ${name}`)
    const zone = records[name.toLowerCase()]
    const answers = zone && zone !== 'SERVFAIL' ? answersOf(zone, typeName) : []
    const code = zone === 'SERVFAIL' ? 2 : zone ? 0 : 3
    const header = Buffer.from(question.subarray(0, 12))
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    header.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([header, question.subarray(12, end), ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: async () => void (await new Promise<void>((resolve) => socket.close(() => resolve()))),
  }
}

function readQuestion(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function answersOf(zone: Exclude<Records[string], 'SERVFAIL'>, type: 'A' | 'CNAME' | 'TXT' | 'AAAA'): Buffer[] {
  const record = (number: number, data: Buffer) => {
    const head = Buffer.from([0xc0, 0x0c, 0, number, 0, 1, 0, 0, 0, 1, 0, 0])
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  }
  if (type === 'A') return (zone.A ?? []).map((address) => record(1, Buffer.from(address.split('.').map(Number))))
  if (type === 'AAAA') return (zone.AAAA ?? []).map((address) => record(28, wholeIpv6(address)))
  if (type === 'CNAME') return zone.CNAME ? [record(5, encodedName(zone.CNAME))] : []
  return (zone.TXT ?? []).map((text) => record(16, Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])))
}

const encodedName = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])

function wholeIpv6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text ? text.split(':') : [])
  const zeros = Array(8 - groups(head).length - groups(tail).length).fill('0')
  return Buffer.from(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0')).join(''),
    'hex',
  )
}
