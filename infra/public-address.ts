import { BlockList, isIP } from 'node:net'

const special = new BlockList()
// Everything that IANA lists as not globally reachable, multicast, and ranges that carry another address inside.
for (const block of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]) {
  const [address = '', prefix] = block.split('/')
  special.addSubnet(address, Number(prefix), 'ipv4')
}
for (const block of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [address = '', prefix] = block.split('/')
  special.addSubnet(address, Number(prefix), 'ipv6')
}
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether anybody on the internet would reach one and the same machine at this address. */
export function isPublicUnicast(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
