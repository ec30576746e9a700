import { writeFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'

type Value = string | number | Value[] | { [key: string]: Value }
type Node = [Node | Buffer | undefined, Node | Buffer | undefined]

/** A small database in MaxMind's format: `{ '203.0.113.0/24': record }`, IPv4 networks inside an IPv6 tree. */
export function writeMmdb(path: string, networks: Record<string, Value>): void {
  const root: Node = [undefined, undefined]
  for (const [network, record] of Object.entries(networks)) insert(root, network, encode(record))
  const nodes = flatten(root)
  const data: Buffer[] = []
  let dataBytes = 0
  const recordOf = (child: Node | Buffer | undefined): number => {
    if (child === undefined) return nodes.length
    if (!Buffer.isBuffer(child)) return nodes.indexOf(child)
    data.push(child)
    dataBytes += child.length
    return nodes.length + 16 + dataBytes - child.length
  }
  const tree = Buffer.alloc(nodes.length * 6)
  for (const [at, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(recordOf(left), at * 6, 3)
    tree.writeUIntBE(recordOf(right), at * 6 + 3, 3)
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-City',
    description: { en: 'test' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  })
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  writeFileSync(path, Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]))
}

function insert(root: Node, network: string, record: Buffer): void {
  const [address = '', prefix = ''] = network.split('/')
  const path = bitsOf(address).slice(0, Number(prefix) + (isIPv4(address) ? 96 : 0))
  let node = root
  for (const bit of path.slice(0, -1)) {
    const next = node[bit] ?? [undefined, undefined]
    node[bit] = next
    node = next as Node
  }
  node[path.at(-1)!] = record
}

function bitsOf(address: string): (0 | 1)[] {
  const [head = '', tail = ''] = (isIPv4(address) ? `::${hexOf(address)}` : address).split('::')
  const [left, right] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return groups.flatMap((group) =>
    [...Number.parseInt(group, 16).toString(2).padStart(16, '0')].map((b) => +b as 0 | 1),
  )
}

function hexOf(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

function flatten(node: Node): Node[] {
  return [node, ...node.flatMap((child) => (child && !Buffer.isBuffer(child) ? flatten(child) : []))]
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, field]) => [encode(key), encode(field)])])
}

/** Types above 7 stand in a byte of their own. No size here reaches 29, where longer forms begin. */
const control = (type: number, size: number): Buffer =>
  type > 7 ? Buffer.from([size, type - 7]) : Buffer.from([(type << 5) | size])
