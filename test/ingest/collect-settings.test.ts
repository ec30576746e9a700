import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { countRejected, type RefusalCounter, refusalCounter, refusalsSince } from '../../postgres/stores/refusals.ts'
import { trackingKeyLookup } from '../../postgres/stores/tracking-key-lookup.ts'
import { issueTrackingKey, listTrackingKeys, revokeTrackingKey } from '../../postgres/stores/tracking-keys.ts'
import { changeTrackingSettings } from '../../postgres/stores/tracking-settings.ts'
import { ownCodec } from '../../schemas/codec.ts'
import type { VisitBatch } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import { brokers, until } from '../kafka.ts'
import { createProfile } from '../profiles.ts'
import { openWorld, type World } from './world.ts'

let world: World
let refusals: RefusalCounter
let profile: string
let key: string
let keyId: string
beforeAll(async () => {
  world = await openWorld()
  refusals = refusalCounter(world.pool, { everyMs: 3_600_000 })
})
beforeEach(async () => {
  profile = await createProfile(world.pool)
  const { trackingKey } = await issueTrackingKey(world.pool, profile)
  key = trackingKey.key
  keyId = trackingKey.id
})
afterAll(async () => {
  await refusals.stop()
  await world.close()
})

async function send(body: object, headers: Record<string, string> = {}) {
  const app = world.app({ refusals, trackingKeys: trackingKeyLookup(world.pool, { timeoutMs: 20_000 }) })
  const answer = await app.inject({ method: 'POST', url: '/collect', headers, payload: body })
  await app.close()
  return { status: answer.statusCode, error: answer.body ? answer.json().error : undefined }
}
const visit = (fields: object = {}) => ({
  tracking_key: key,
  visitor_id: 'v-1',
  events: [{ event_id: randomUUID(), event_type: 'page_view' }],
  ...fields,
})
const counted = async (of = profile) => {
  await refusals.flush()
  return refusalsSince(world.pool, of, 7)
}

describe('the settings of a profile', () => {
  it('decide whose pages may send', async () => {
    await changeTrackingSettings(world.pool, profile, { allowed_origins: ['https://shop.example'] })
    expect((await send(visit(), { origin: 'https://shop.example' })).status).toBe(204)
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Record<string, string>[]) {
      const refused = await send(visit(), headers)
      expect([refused.status, refused.error.reason]).toEqual([403, 'origin_not_allowed'])
    }
    expect(await counted()).toEqual([{ source: 'collect', reason: 'origin_not_allowed', count: 3 }])
  })

  it('let in pages of an origin that is kept with the port which browsers leave out', async () => {
    const host = `${randomUUID()}.example`
    await changeTrackingSettings(world.pool, profile, { allowed_origins: [`https://${host}:443`, `http://${host}:80`] })
    for (const origin of [`https://${host}`, `http://${host}`]) {
      expect((await send(visit(), { origin })).status).toBe(204)
      await send(visit({ tracking_key: 'tl_pub_unknown' }), { origin })
    }
    expect(await counted()).toEqual([{ source: 'collect', reason: 'tracking_key_unknown', count: 2 }])
  })

  it('let in a store’s pixel, which sends from no origin, where null is listed', async () => {
    await changeTrackingSettings(world.pool, profile, { allowed_origins: ['https://shop.example', 'null'] })
    expect((await send(visit(), { origin: 'null' })).status).toBe(204)
    expect((await send(visit(), { origin: 'https://evil.example' })).status).toBe(403)
    expect((await send(visit({ tracking_key: `tk_${'x'.repeat(24)}` }), { origin: 'null' })).status).not.toBe(204)
    expect(await counted()).toEqual([{ source: 'collect', reason: 'origin_not_allowed', count: 1 }])
  })

  it.each([
    ['city', 'CL', 'Arica'],
    ['country', 'CL', null],
    ['none', null, null],
  ] as const)('keep of the place: %s', async (detail, country, city) => {
    await changeTrackingSettings(world.pool, profile, { location_detail: detail })
    await send(visit(), { 'cf-ipcountry': 'CL', 'cf-ipcity': 'Arica' })
    expect(await firstVisit(profile)).toMatchObject({ country, city })
  })
})

describe('what is turned away', () => {
  it('is counted for the profile whose key it carried, by reason', async () => {
    await send(visit({ visitor_id: '' }))
    await send(visit({ events: [] }))
    expect(await counted()).toEqual([{ source: 'collect', reason: 'validation_error', count: 2 }])
    await revokeTrackingKey(world.pool, profile, keyId)
    await send(visit())
    expect(await counted()).toContainEqual({ source: 'collect', reason: 'tracking_key_revoked', count: 1 })
  })

  it('with an unknown key is counted for the profiles that allow its origin', async () => {
    const origin = `https://${randomUUID()}.example`
    await changeTrackingSettings(world.pool, profile, { allowed_origins: [origin] })
    await send(visit({ tracking_key: 'tl_pub_unknown' }), { origin })
    await send(visit({ tracking_key: 'tl_pub_unknown' }), { origin: 'https://nobody.example' })
    expect(await counted()).toEqual([{ source: 'collect', reason: 'tracking_key_unknown', count: 1 }])
  })

  it('by processors is counted once, however often its message is read', async () => {
    const position = { topic: `test-${randomUUID()}`, partition: 0 }
    const rejected = (offset: bigint) => ({
      offset,
      profileId: profile,
      topic: 'visits',
      reason: 'invalid_message',
      at: Date.now(),
    })
    await countRejected(world.pool, position, [rejected(0n), rejected(1n), { ...rejected(2n), profileId: null }])
    await countRejected(world.pool, position, [rejected(1n), { ...rejected(2n), profileId: null }, rejected(3n)])
    await countRejected(world.pool, position, [{ ...rejected(4n), profileId: randomUUID() }])
    expect(await counted()).toEqual([{ source: 'visits', reason: 'invalid_message', count: 3 }])
  })
})

it('a tracking key is seen by a hit that was accepted, and by none that was refused', async () => {
  const lastSeen = async () => (await listTrackingKeys(world.pool, profile))[0]!.lastSeenAt
  await changeTrackingSettings(world.pool, profile, { allowed_origins: ['https://shop.example'] })
  expect((await send(visit(), { origin: 'https://evil.example' })).status).toBe(403)
  expect((await send(visit({ events: [] }), { origin: 'https://shop.example' })).status).toBe(422)
  expect(await lastSeen()).toBeNull()
  expect((await send(visit(), { origin: 'https://shop.example' })).status).toBe(204)
  await until(async () => (await lastSeen()) !== null)
})

/** The first message of a profile. */
async function firstVisit(id: string): Promise<VisitBatch> {
  const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topics.visits.name] })
  try {
    for (;;) {
      for (const { value } of (await consumer.next())?.messages ?? []) {
        const decoded = ownCodec.decode(topics.visits, value)
        if (decoded.kind === 'ok' && decoded.value.profile_id === id) return decoded.value
      }
    }
  } finally {
    await consumer.close()
  }
}
