import { randomUUID } from 'node:crypto'
import type { Scope } from '../../../../domain/scopes.ts'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { identityStore } from '../../../../postgres/stores/identity.ts'
import { operations } from '../../../../query-api/operations/index.ts'
import { freshWarehouse } from '../../../fresh-warehouse.ts'
import { baseUrl, bearer, captureLog, guards } from '../../../http/test-app.ts'
import { type OutcomeParts, openProfile } from '../../../processors/attribution/world.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'

/** The payments desk over a warehouse of its own, in which nothing moves unless a test moves it. */
export async function openDesk() {
  const pool = await openPostgres()
  const warehouse = await freshWarehouse()
  const identity = identityStore(pool)
  const log = captureLog()
  const app = await buildApp({
    baseUrl,
    logger: log.logger,
    authenticate: apiKeyAuthentication(pool),
    ...guards(pool),
    mounts: [mount(operations, { postgres: pool, clickhouse: warehouse } as never, ['postgres', 'clickhouse'])],
  })
  return {
    pool,
    warehouse,
    log,
    async profile({ currency = 'USD', timezone = 'UTC' } = {}) {
      const id = await createProfile(pool, { currency })
      await pool.query('UPDATE profiles SET timezone = $2 WHERE id = $1', [id, timezone])
      const world = await openProfile(warehouse, { profile: id, currency, timezone })
      const keyFor = (scopes: Scope[]) => bearer(pool, id, scopes, 100_000)
      const everything = await keyFor(['commerce:read', 'attribution:write', 'customers:read'])
      const call = async (method: string, path: string, body?: object, headers = everything) => {
        const answer = await app.inject({
          method: method as 'GET',
          url: `/api/v1/payments${path}`,
          headers,
          ...(body && { payload: body }),
        })
        return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
      }
      return {
        id,
        world,
        keyFor,
        call,
        /** A customer with a name, an e-mail and a phone, known to both stores. */
        async customer(firstName = 'Ana') {
          const [mail, phone] = [randomUUID(), randomUUID()]
          const email = `${mail.slice(0, 8)}@example.com`
          await identity.observe([
            {
              profileId: id,
              evidence: `0000000000001/${mail}`,
              isTrusted: true,
              visitorId: null,
              identifiers: [
                { type: 'email', token: mail, value: email },
                { type: 'phone', token: phone, value: '+56987654321' },
              ],
              firstName,
              lastName: 'Rojas',
            },
          ])
          const { rows } = await pool.query<{ id: string }>(
            'SELECT customer_id AS id FROM identifiers WHERE profile_id = $1 AND token = $2',
            [id, mail],
          )
          const customer = rows[0]!.id
          for (const subject of [mail, phone]) await world.belongs(subject, customer)
          return { id: customer, subject: mail, email }
        },
        /** What a provider told of. */
        paid: (subject: string, at: string, parts: OutcomeParts = {}) =>
          world.outcome(subject, Date.parse(at), {
            source: 'payment',
            provider: 'stripe',
            externalId: `ch_${randomUUID()}`,
            ...parts,
          }),
        list: (query: string, headers = everything) => call('GET', `?${query}`, undefined, headers),
        outbox: async () =>
          (await pool.query("SELECT FROM outbox WHERE topic = 'payment-actions' AND key LIKE $1 || ':%'", [id]))
            .rowCount,
      }
    },
    async close() {
      await app.close()
      await warehouse.drop()
      await pool.end()
    },
  }
}
