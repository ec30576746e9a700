import { BlockList, isIP } from 'node:net'

/** Whether an address is on a list. */
export type IsListed = (address: string | undefined) => boolean

const names: Record<string, readonly string[]> = {
  none: [],
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
}

/** Addresses, CIDR blocks, `loopback`, `private` and `none`, separated by commas; undefined if one is neither. */
export function addressList(text: string): IsListed | undefined {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase())
  const list = new BlockList()
  for (const entry of entries.flatMap((name) => (Object.hasOwn(names, name) ? names[name]! : [name]))) {
    if (!add(list, entry)) return undefined
  }
  // Behind a proxy every request comes from one address, and a look costs a microsecond.
  let last: string | undefined
  let isLastListed = false
  return (address) => {
    if (address === undefined) return false
    if (address === last) return isLastListed
    const family = isIP(address)
    last = address
    isLastListed = family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
    return isLastListed
  }
}

function add(list: BlockList, entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  if (prefix === undefined) {
    list.addAddress(address, type)
    return true
  }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) return false
  list.addSubnet(address, Number(prefix), type)
  return true
}
