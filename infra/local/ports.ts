import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

// Below the range that systems hand to outgoing connections, so that no client takes a port while its engine restarts.
const lowest = 20_000
const highest = 32_000

/** A port per name: the one remembered in the home while it is free, else another, remembered from now on. */
export async function claimPorts<Name extends string>(
  home: string,
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const file = join(home, 'ports.json')
  const ports = readPorts(file)
  for (const name of names) {
    const remembered = ports[name]
    if (remembered === undefined || !(await isFree(remembered))) ports[name] = await findFreePort(Object.values(ports))
  }
  writeFileSync(file, `${JSON.stringify(ports, null, 2)}\n`)
  return ports as Record<Name, number>
}

export async function findFreePort(taken: number[] = []): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest)
    if (!taken.includes(port) && (await isFree(port))) return port
  }
}

export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

function readPorts(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
