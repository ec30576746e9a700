import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { vaultKeys } from '../../domain/sealing.ts'
import { loadConfig } from '../../infra/config.ts'
import { identityStore } from '../../postgres/stores/identity.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import { observation } from '../observations.ts'
import { createProfile, openPostgres } from '../profiles.ts'

const entry = join(import.meta.dirname, '../../cli/main.ts')
// Vitest sets a BASE_URL of its own.
const env = { ...process.env, BASE_URL: '' }
let pool: pg.Pool
let profile: string
let customerId: string

beforeAll(async () => {
  pool = await openPostgres()
})
afterAll(() => pool.end())
beforeEach(async () => {
  profile = await createProfile(pool)
  const vault = postgresVault(pool, vaultKeys(loadConfig(env).secret), { timeoutMs: 20_000 })
  const identifiers = await vault.tokens(profile, [
    { type: 'external_customer_id', value: 'C-10042' },
    { type: 'email', value: 'ann@example.com' },
    { type: 'phone', value: '+56987654321' },
  ])
  await identityStore(pool).observe([
    observation(profile, Date.parse('2026-03-01'), {
      visitorId: randomUUID(),
      identifiers: identifiers.map(({ type, token, value }) => ({ type, token, value })),
    }),
  ])
  const { rows } = await pool.query('SELECT id FROM customers WHERE profile_id = $1', [profile])
  customerId = rows[0].id
})

function identity(name: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [entry, 'identity', name, '--profile', profile, ...args],
      { env },
      (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
    child.stdin?.end()
  })
}
const json = async (name: string, ...args: string[]) => JSON.parse((await identity(name, ...args, '--json')).out)

const personal = /ann@|example|98765432|10042/

describe('touchline identity', () => {
  it('shows a customer by any of its identifiers, however written, with values masked', async () => {
    const [shown, { out }, ...same] = await Promise.all([
      json('show', '--email', ' Ann@Example.com'),
      identity('show', '--customer', customerId),
      json('show', '--phone', '+56 9 8765 4321'),
      json('show', '--external-id', 'C-10042'),
    ])
    expect(shown).toMatchObject({ customer_id: customerId, visitors: 1, blocked_links: [], cuts: [], ledger: [] })
    const values = shown.identifiers.map((i: { value: string }) => i.value)
    expect(values.sort()).toEqual(['***42', '+56***21', 'a***@e***.com'])
    for (const other of same) expect(other.customer_id).toBe(customerId)
    expect(out).toContain('a***@e***.com')
    expect(out).not.toMatch(personal)
  })

  it('separates for good, once, and takes it back', async () => {
    const asked = ['--customer', customerId, '--separate', 'phone:+56987654321']
    const made = await json('unmerge', ...asked, '--yes')
    expect(made).toMatchObject({ customer_id: customerId, is_new: true })
    expect(made.after).toHaveLength(2)
    expect(made.after.map((c: { identifiers: unknown[] }) => c.identifiers.length).sort()).toEqual([1, 2])
    const again = await json('unmerge', ...asked, '--yes')
    expect(again).toEqual({ cut_id: made.cut_id, customer_id: customerId, is_new: false })
    expect(await json('unmerge', '--email', 'ann@example.com', '--separate', 'phone:+56987654321', '--yes')).toEqual(
      again,
    )

    const shown = await json('show', '--customer', customerId)
    expect(shown.blocked_links.map((link: { reason: string }) => link.reason)).toEqual(['cut', 'cut'])
    expect(shown.cuts).toMatchObject([{ cut_id: made.cut_id, separated: [{ type: 'phone', value: '+56***21' }] }])
    expect(shown.ledger.map((line: { kind: string }) => line.kind)).toEqual(['split', 'cut'])

    expect(await json('undo-cut', made.cut_id, '--yes')).toEqual({ cut_id: made.cut_id, is_undone: true })
    expect((await json('show', '--phone', '+56987654321')).customer_id).toBe(customerId)
    expect((await identity('undo-cut', made.cut_id, '--yes')).err).toContain('has no cut')
  })

  it('changes nothing without a yes', async () => {
    const { code, out, err } = await identity('unmerge', '--customer', customerId, '--separate', 'phone:+56987654321')
    expect(code).toBe(1)
    expect(out).toContain('becomes')
    expect(out).not.toMatch(personal)
    expect(err).toContain('add --yes')
    expect((await json('show', '--customer', customerId)).identifiers).toHaveLength(3)
  })

  it.each([
    [
      'a value that nobody has',
      ['--email', 'ann@example.com', '--separate', 'phone:+56911112222'],
      'nobody in the profile',
    ],
    ['all of a customer', ['--phone', '+56987654321', '--separate', 'phone:+56987654321'], 'nothing would be left'],
    ['a type that there is none of', ['--email', 'ann@example.com', '--separate', 'fax:1234567'], 'type:value'],
    [
      'a customer named twice',
      ['--email', 'ann@example.com', '--phone', '+56987654321', '--separate', 'phone:1'],
      'one of',
    ],
    [
      'a customer of nobody',
      ['--email', 'bob@example.com', '--separate', 'phone:+56987654321'],
      'nobody in the profile',
    ],
  ])('refuses %s in a sentence, without repeating it, and remembers nothing of it', async (_, args, sentence) => {
    const { rows: before } = await pool.query('SELECT count(*) FROM vault WHERE profile_id = $1', [profile])
    const { code, out, err } = await identity('unmerge', ...args, '--yes')
    expect(code).toBe(1)
    expect(err).toContain(sentence)
    expect(out + err).not.toMatch(/ann@|bob@|98765432|11112222/)
    expect(err).not.toContain('    at ')
    expect((await pool.query('SELECT count(*) FROM vault WHERE profile_id = $1', [profile])).rows).toEqual(before)
  })
})
