import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'

export const shortestPassword = 8

const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const hashBytes = 32

/** `scrypt$N$r$p$salt$hash`: the cost travels with the hash, so that it can grow. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return written(salt, await derive(password, salt, cost))
}

function written(salt: Buffer, hash: Buffer): string {
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

export async function isPasswordOf(password: string, stored: string): Promise<boolean> {
  const [name, N, r, p, salt, hash] = stored.split('$')
  if (name !== 'scrypt' || !salt || !hash) return false
  const expected = Buffer.from(hash, 'base64')
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: cost.maxmem }
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), options), expected)
}

/** A hash that no password has, to be checked where there is nobody: the answer then takes as long as for somebody. */
export const nobodysHash = written(Buffer.alloc(16), Buffer.alloc(hashBytes))

// Each takes 32 MB and a core for a moment: a rush of people who sign in waits in line instead of filling the machine.
const inTurn = pLimit(2)

const derive = (password: string, salt: Buffer, options: typeof cost) =>
  inTurn(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key))
        scrypt(password.normalize('NFKC'), salt, hashBytes, options, done)
      }),
  )
