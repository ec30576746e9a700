import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { evidenceOrder } from '../../../domain/identity-graph.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { identifiedProfiles, identitySnapshot } from '../../../postgres/stores/identity-snapshot.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
})
afterAll(() => database.drop())

it('ends in the same map with the changes that are published meanwhile, in any order, by version alone', async () => {
  const { pool } = database
  const profile = await createProfile(pool)
  const store = identityStore(pool)
  const map = new Map<string, { customer: string; version: bigint }>()
  const write = (subject: string, customer: string, version: string) => {
    const known = map.get(subject)
    if (!known || BigInt(version) >= known.version) map.set(subject, { customer, version: BigInt(version) })
  }
  const tokens = Array.from({ length: 40 }, () => randomUUID())
  // Each message joins two people, so that subjects change hands over and over.
  const join = (a: string, b: string, at: number) =>
    store.observe([
      {
        profileId: profile,
        evidence: evidenceOrder(at, randomUUID()),
        isTrusted: true,
        visitorId: at % 3 === 0 ? randomUUID() : null,
        identifiers: [a, b].map((token) => ({ type: 'email' as const, token, value: null })),
        firstName: null,
        lastName: null,
      },
    ])
  const snapshot = () =>
    identitySnapshot(pool, profile, async (rows, version) => {
      for (const { subjectId, customerId } of rows) write(subjectId, customerId, version)
    })
  let isDone = false
  const publish = async () => {
    for (let isLast = false; !isLast; ) {
      isLast = isDone
      await store.publishChanges(async (changes) => {
        for (const { subjectId, customerId, version } of changes.toReversed()) write(subjectId, customerId, version)
      })
    }
  }
  const publishing = publish()
  for (let round = 1; round < tokens.length; round++) {
    await Promise.all([
      join(tokens[round]!, tokens[Math.floor(round / 2)]!, 1000 - round),
      join(tokens[tokens.length - round]!, tokens[round % 7]!, 2000 + round),
      ...(round % 4 === 0 ? [snapshot(), snapshot()] : []),
    ])
  }
  isDone = true
  await publishing

  const { rows } = await pool.query<{ subject: string; customer: string }>(
    `SELECT token AS subject, customer_id AS customer FROM identifiers WHERE profile_id = $1
     UNION ALL SELECT visitor_id, customer_id FROM visitor_assignments JOIN identifiers USING (profile_id, token)
     WHERE profile_id = $1`,
    [profile],
  )
  const told = [...map].map(([subject, { customer }]) => ({ subject, customer }))
  const bySubject = (a: { subject: string }, b: { subject: string }) => (a.subject < b.subject ? -1 : 1)
  expect(rows.length).toBeGreaterThan(40)
  expect(told.sort(bySubject)).toEqual(rows.sort(bySubject))
  expect(await identifiedProfiles(pool)).toContain(profile)
})

it('waits for a change that has its version but is not committed yet', async () => {
  const { pool } = database
  const profile = await createProfile(pool)
  const other = await pool.connect()
  await other.query('BEGIN')
  await other.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [profile])
  const { rows } = await other.query<{ version: string }>("SELECT nextval('identity_version') AS version")
  let isTaken = false
  const versions: string[] = []
  const taken = identitySnapshot(pool, profile, async (_, version) => void versions.push(version)).then(() => {
    isTaken = true
  })
  const waiting = async () =>
    (await pool.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rowCount
  await expect.poll(waiting).toBe(1)
  expect(isTaken).toBe(false)
  const token = randomUUID()
  await other.query('COMMIT')
  other.release()
  await taken
  await identityStore(pool).observe([
    {
      profileId: profile,
      evidence: evidenceOrder(1, token),
      isTrusted: true,
      visitorId: null,
      identifiers: [{ type: 'email', token, value: null }],
      firstName: null,
      lastName: null,
    },
  ])
  await identitySnapshot(pool, profile, async (_, version) => void versions.push(version))
  expect(versions).toHaveLength(1)
  expect(BigInt(versions[0]!)).toBeGreaterThan(BigInt(rows[0]!.version))
})
