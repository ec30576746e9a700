import { createHmac, randomUUID } from 'node:crypto'
import pino from 'pino'
import { hookSeals, newHookSecret } from '../../../domain/hooks/secrets.ts'
import { standardKey } from '../../../domain/hooks/signatures.ts'
import { apiKeyAuthentication, buildApp, localRateLimiter } from '../../../http/app.ts'
import { hooksPlugin } from '../../../ingest/hooks/receive.ts'
import { createHookEndpoint, type HookProvider } from '../../../postgres/stores/hook-endpoints.ts'
import { ownCodec } from '../../../schemas/codec.ts'
import { type Topic, topics } from '../../../schemas/topics.ts'
import { config } from '../../kafka.ts'
import { createProfile } from '../../profiles.ts'
import { openWorld } from '../world.ts'

/** Providers that notify us, and what the pipeline is told of it. */
export async function openHookWorld() {
  const world = await openWorld()
  const seals = hookSeals(config.secret)
  const lines: string[] = []
  const app = await buildApp({
    baseUrl: 'http://localhost',
    logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) as never,
    authenticate: apiKeyAuthentication(world.pool),
    mounts: [],
    plugins: [
      hooksPlugin({
        postgres: world.pool,
        vault: world.vault,
        hookSeals: seals,
        limiter: localRateLimiter(),
        metrics: world.deps.metrics,
      }),
    ],
  })
  return {
    ...world,
    hookApp: app,
    seals,
    log: () => lines.join(''),
    async endpoint(provider: HookProvider, source: string = provider) {
      const profileId = await createProfile(world.pool)
      const secret = newHookSecret()
      const endpoint = await createHookEndpoint(world.pool, seals, { profileId, provider, source, secret })
      const url = `/hooks/${provider}/${endpoint.id}`
      const send = async (headers: Record<string, string>, payload: string) => {
        const answer = await app.inject({
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json', ...headers },
          payload,
        })
        return { status: answer.statusCode, body: answer.json() }
      }
      const now = () => Math.floor(Date.now() / 1000)
      return {
        profileId,
        endpoint,
        secret,
        url,
        send,
        stripe: (event: object, key = secret) => {
          const [text, t] = [JSON.stringify(event), now()]
          const v1 = createHmac('sha256', key).update(`${t}.${text}`).digest('hex')
          return send({ 'stripe-signature': `t=${t},v1=${v1}` }, text)
        },
        shopify: (topic: string, body: object) => {
          const text = JSON.stringify(body)
          const signature = createHmac('sha256', secret).update(text).digest('base64')
          return send({ 'x-shopify-hmac-sha256': signature, 'x-shopify-topic': topic }, text)
        },
        generic: (body: object, id: string = randomUUID()) => {
          const [text, t] = [JSON.stringify(body), now()]
          const signature = createHmac('sha256', standardKey(secret)).update(`${id}.${t}.${text}`).digest('base64')
          const headers = { 'webhook-id': id, 'webhook-timestamp': String(t), 'webhook-signature': `v1,${signature}` }
          return send(headers, text)
        },
        /** What waits for the pipeline, in order. */
        async told<Value>(topic: Topic<Value>) {
          const { rows } = await world.pool.query<{ value: Buffer }>(
            "SELECT value FROM outbox WHERE topic = $1 AND key LIKE $2 || ':%' ORDER BY id",
            [topic.name, profileId],
          )
          return rows.map(({ value }) => {
            const decoded = ownCodec.decode(topic, value)
            if (decoded.kind !== 'ok') throw new Error(decoded.why)
            return decoded.value
          })
        },
        payments() {
          return this.told(topics.payments)
        },
        async deliveries() {
          const { rows } = await world.pool.query(
            `SELECT id, topic, status, reason, messages, sealed, sealed_under AS "sealedUnder",
               (SELECT count(*)::int FROM hook_delivery_tokens t WHERE t.delivery_id = d.id) AS tokens
             FROM hook_deliveries d WHERE profile_id = $1 ORDER BY received_at, id`,
            [profileId],
          )
          return rows
        },
      }
    },
    async close() {
      await app.close()
      await world.close()
    },
  }
}
