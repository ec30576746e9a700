import { randomBytes, randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import type pg from 'pg'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { open, sealingContext, vaultKeys } from '../../domain/sealing.ts'
import { type AppOptions, apiKeyAuthentication, buildApp, mount, onceWithKey } from '../../http/app.ts'
import { answerFailures } from '../../http/failures.ts'
import { addressList } from '../../infra/address-list.ts'
import { connectConsumer } from '../../infra/kafka/consumer.ts'
import { connectProducer, type Producer } from '../../infra/kafka/producer.ts'
import { type CollectDeps, collectPlugin } from '../../ingest/collect.ts'
import { collectLimits } from '../../ingest/collect-limits.ts'
import { locator } from '../../ingest/locate.ts'
import { ingestMetrics } from '../../ingest/metrics.ts'
import { postEvent } from '../../ingest/server-events.ts'
import { trackingKeyLookup } from '../../postgres/stores/tracking-key-lookup.ts'
import { trackingKeySightings } from '../../postgres/stores/tracking-key-sightings.ts'
import { issueTrackingKey } from '../../postgres/stores/tracking-keys.ts'
import { postgresVault, type Vault } from '../../postgres/stores/vault.ts'
import { ownCodec } from '../../schemas/codec.ts'
import type { Identifier, SealedTraits } from '../../schemas/messages.ts'
import { type Topic, topics } from '../../schemas/topics.ts'
import { brokers, config, createTopics } from '../kafka.ts'
import { createProfile, openPostgres } from '../profiles.ts'

/** The collectors' surroundings: real engines, a profile of its own, and what arrived in its topics. */
export interface World {
  pool: pg.Pool
  producer: Producer
  vault: Vault
  profile: string
  trackingKey: string
  registry: Registry
  deps: CollectDeps
  app(overrides?: Partial<CollectDeps>): FastifyInstance
  /** The first messages of the profile in a topic, with the bytes they came as. */
  received<Value extends { profile_id: string }>(
    topic: Topic<Value>,
    count: number,
  ): Promise<{ value: Value; bytes: Buffer }[]>
  reveal(what: 'value' | 'traits', sealed: Pick<Identifier | SealedTraits, 'token' | 'sealed'>): Promise<string>
  close(): Promise<void>
}

export async function openWorld({ currency = 'USD' } = {}): Promise<World> {
  await createTopics(Object.values(topics) as Topic<never>[])
  const pool = await openPostgres()
  const profile = await createProfile(pool, { currency })
  const { trackingKey } = await issueTrackingKey(pool, profile)
  const producer = connectProducer({ brokers })
  const secrets = vaultKeys(config.secret)
  const vault = postgresVault(pool, secrets, { timeoutMs: 20_000 })
  const registry = new Registry()
  const metrics = ingestMetrics(registry)
  const trackingKeys = trackingKeyLookup(pool, { timeoutMs: 20_000 })
  const isTrustedProxy = addressList('loopback')!
  const limits = collectLimits({ perKey: 600_000, perAddress: 6_000, isTrustedProxy })
  const keySightings = trackingKeySightings(pool, { timeoutMs: 20_000 })
  const deps: CollectDeps = {
    producer,
    vault,
    trackingKeys,
    keySightings,
    locate: locator({ isTrustedProxy }),
    limits,
    metrics,
  }
  return {
    pool,
    producer,
    vault,
    profile,
    trackingKey: trackingKey.key,
    registry,
    deps,
    app: (overrides = {}) => {
      const app = Fastify()
      answerFailures(app, 'http://localhost')
      app.register(async (scope) => collectPlugin({ ...deps, ...overrides })(scope))
      return app
    },
    received: async (topic, count) => {
      const found: { value: never; bytes: Buffer }[] = []
      const consumer = connectConsumer({ brokers, group: `test-${randomUUID()}`, topics: [topic.name] })
      while (found.length < count) {
        for (const { value: bytes } of (await consumer.next())?.messages ?? []) {
          const decoded = ownCodec.decode(topic, bytes)
          if (decoded.kind === 'ok' && decoded.value.profile_id === profile) {
            found.push({ value: decoded.value as never, bytes: bytes! })
          }
        }
      }
      await consumer.close()
      return found
    },
    reveal: async (what, { token, sealed }) => {
      const keys = await postgresVault(pool, secrets, { timeoutMs: 20_000 }).keys([{ profileId: profile, token }])
      return open(keys.get(token)!, sealingContext(profile, token, what), sealed).toString()
    },
    close: async () => {
      await producer.close()
      await pool.end()
    },
  }
}

/** The collectors as the service serves them: behind the whole HTTP frame. */
export function collectApp(
  world: World,
  overrides: Partial<CollectDeps> = {},
  options: Partial<AppOptions> = {},
): Promise<FastifyInstance> {
  const deps = { ...world.deps, ...overrides }
  return buildApp({
    baseUrl: 'http://localhost',
    logger: pino({ level: 'silent' }),
    metrics: world.registry,
    isTrustedProxy: addressList('loopback')!,
    authenticate: apiKeyAuthentication(world.pool),
    once: onceWithKey(world.pool, randomBytes(32)),
    mounts: [mount([postEvent], deps, ['kafka', 'postgres'])],
    plugins: [collectPlugin(deps)],
    ...options,
  })
}
