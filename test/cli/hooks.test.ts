import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createProfile, openPostgres } from '../profiles.ts'

const touchline = async (...args: string[]) => {
  const { stdout } = await promisify(execFile)('bin/touchline', ['hooks', ...args], {
    // Vitest sets a BASE_URL of its own.
    env: { ...process.env, BASE_URL: '' },
  })
  return stdout
}

test('makes, lists, rotates and closes an address', async () => {
  const pool = await openPostgres()
  const profile = await createProfile(pool)
  await pool.end()
  const of = ['--profile', profile, '--json']
  const made = JSON.parse(await touchline('create', '--provider', 'generic', '--source', 'hubspot', ...of))
  expect(made.address).toMatch(new RegExp(`/hooks/generic/${made.endpoint_id}$`))
  expect(made.secret).toMatch(/^whsec_/)
  expect(JSON.parse(await touchline('list', ...of))).toMatchObject([
    { endpoint_id: made.endpoint_id, source: 'hubspot' },
  ])
  const rotated = JSON.parse(await touchline('rotate', made.endpoint_id, '--at-once', ...of))
  expect(rotated.secret).not.toBe(made.secret)
  expect(JSON.parse(await touchline('deliveries', ...of))).toEqual([])
  expect(JSON.parse(await touchline('replay', '--dry-run', ...of))).toMatchObject({ mapped: 0, unmappable: 0 })
  await touchline('revoke', made.endpoint_id, ...of)
  expect(JSON.parse(await touchline('list', ...of))).toEqual([])
  await expect(touchline('rotate', made.endpoint_id, ...of)).rejects.toMatchObject({
    stderr: expect.stringContaining('no live address'),
  })
})
