import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { erasureSecrets } from '../../domain/erasures.ts'
import { sealPerson } from '../../ingest/person.ts'
import { SentEvent, toServerEvent } from '../../ingest/server-event.ts'
import { asProfile } from '../../postgres/as-profile.ts'
import { eraseCustomer } from '../../postgres/stores/erasures.ts'
import { identityStore } from '../../postgres/stores/identity.ts'
import { config } from '../kafka.ts'
import { openWorld, type World } from './world.ts'

const secrets = erasureSecrets(config.secret)
let world: World

beforeAll(async () => {
  world = await openWorld()
  const [key] = await world.vault.tokens(world.profile, [{ type: 'external_customer_id', value: 'C-1001' }])
  await identityStore(world.pool).observe([
    {
      profileId: world.profile,
      evidence: '000000000000001:x:0',
      isTrusted: true,
      visitorId: null,
      identifiers: [{ type: 'external_customer_id', token: key!.token, value: 'C-1001' }],
      firstName: null,
      lastName: null,
    },
  ])
  await asProfile(world.pool, world.profile, (tx) =>
    eraseCustomer(tx, secrets, world.profile, {
      requestRef: 'r',
      selector: { type: 'external_customer_id', value: 'C-1001' },
      reason: 'other',
      requestedBy: 'test',
    }),
  )
})
beforeEach(() => world.vault.forget())
afterAll(() => world.close())

const event = (user_traits: object, fields: object = {}) =>
  toServerEvent(SentEvent.parse({ event_type: 'purchase', visitor_id: 'v-1', user_traits, ...fields }), {
    profile: { id: world.profile, reportingCurrency: 'USD' },
    receivedAt: Date.now(),
    vault: world.vault,
  })
const hashes = async () =>
  (await world.pool.query('SELECT type FROM vault WHERE profile_id = $1', [world.profile])).rows

test('an event with an erased key counts, and says nothing about anybody', async () => {
  expect(
    await event({ external_id: 'C-1001', email: 'ana@example.com', phone: '+56987654321', first_name: 'Ana' }),
  ).toMatchObject({ identifiers: [], traits: null, visitor_id: null, event_type: 'purchase' })
  expect(await hashes()).toEqual([{ type: 'external_customer_id' }])
})

test('nor about who it was for, not even as a hash', async () => {
  const sale = { idempotency_key: 'sale-1', properties: { value: 1, subject_ref: 'pet-1' } }
  expect(await event({ external_id: 'C-1001' }, sale)).toMatchObject({ identifiers: [], subject_ref_token: null })
  expect(await hashes()).toEqual([{ type: 'external_customer_id' }])
})

test('the key stays erased, however often it is sent', async () => {
  for (let n = 0; n < 3; n++) await event({ external_id: 'C-1001' })
  expect(
    (await world.vault.tokens(world.profile, [{ type: 'external_customer_id', value: 'C-1001' }]))[0],
  ).toMatchObject({ isErased: true })
})

test('a hit with an erased key keeps nobody either', async () => {
  const person = { external_customer_id: 'C-1001', email: 'ana@example.com', first_name: 'Ana' }
  expect(await sealPerson(world.vault, world.profile, person)).toEqual({ identifiers: [], traits: null })
})

test('an event without the key is somebody’s as always', async () => {
  const { identifiers, visitor_id } = await event({ external_id: 'C-1002', email: 'ben@example.com' })
  expect(identifiers.map(({ type }) => type)).toEqual(['external_customer_id', 'email'])
  expect(visitor_id).not.toBeNull()
})
