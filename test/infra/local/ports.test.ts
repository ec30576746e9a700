import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { claimPorts, findFreePort, isFree } from '../../../infra/local/ports.ts'

let home: string
let taken: Server | undefined
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'touchline-'))
})
afterEach(() => {
  taken?.close()
  rmSync(home, { recursive: true, force: true })
})

const take = (port: number) =>
  new Promise<void>((resolve) => {
    taken = createServer().listen(port, '127.0.0.1', resolve)
  })

test('every name gets a port of its own, the same again at the next start', async () => {
  const ports = await claimPorts(home, ['a', 'b', 'c'])
  expect(new Set(Object.values(ports)).size).toBe(3)
  expect(await claimPorts(home, ['a', 'b', 'c'])).toEqual(ports)
})

test('a remembered port that somebody else uses is given up for another, the others stay', async () => {
  const before = await claimPorts(home, ['a', 'b'])
  await take(before.a)
  const after = await claimPorts(home, ['a', 'b'])
  expect(after.a).not.toBe(before.a)
  expect(after.b).toBe(before.b)
  expect(await claimPorts(home, ['a', 'b'])).toEqual(after)
})

test('a port in use is not free', async () => {
  const port = await findFreePort()
  expect(await isFree(port)).toBe(true)
  await take(port)
  expect(await isFree(port)).toBe(false)
})
