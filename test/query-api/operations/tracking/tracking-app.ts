import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Scope } from '../../../../domain/scopes.ts'
import { apiKeyAuthentication, buildApp, mount } from '../../../../http/app.ts'
import { addressList } from '../../../../infra/address-list.ts'
import { domainRecords } from '../../../../infra/domain-records.ts'
import { connectAdmin } from '../../../../infra/kafka/admin.ts'
import { recentLag } from '../../../../infra/kafka/recent-lag.ts'
import { connectOutbound } from '../../../../infra/outbound.ts'
import { issueTrackingKey } from '../../../../postgres/stores/tracking-keys.ts'
import { trackingOperations } from '../../../../query-api/operations/tracking/index.ts'
import type { TrackingDeps } from '../../../../query-api/tracking-operation.ts'
import { buildTracker } from '../../../../tracker/build.ts'
import { type FreshWarehouse, freshWarehouse } from '../../../fresh-warehouse.ts'
import { baseUrl, bearer, captureLog, guards } from '../../../http/test-app.ts'
import { brokers } from '../../../kafka.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'

export const trackerUrl = 'https://t.touchline.example'

/** The tracking routes on real engines; names are looked up at the given servers, pages fetched from the loopback too. */
export async function openTrackingApp(options: { dnsServers?: string[] } & Partial<TrackingDeps> = {}) {
  const { dnsServers, ...overrides } = options
  const pool: pg.Pool = await openPostgres()
  const warehouse: FreshWarehouse = await freshWarehouse()
  const kafka = connectAdmin({ brokers })
  const outbound = connectOutbound({ isAllowed: addressList('127.0.0.1')!, dnsServers })
  const deps: TrackingDeps = {
    postgres: pool,
    clickhouse: warehouse,
    tracker: await buildTracker(),
    trackerUrl,
    outbound,
    domainRecords: domainRecords({ servers: dnsServers }),
    lag: recentLag(kafka, { freshMs: 0 }),
    ...overrides,
  }
  const app: FastifyInstance = await buildApp({
    baseUrl,
    logger: captureLog().logger,
    authenticate: apiKeyAuthentication(pool),
    ...guards(pool),
    mounts: [mount(trackingOperations, deps, ['postgres', 'clickhouse'])],
  })
  return {
    pool,
    warehouse,
    app,
    deps,
    /** A profile, its tracking key, and calls with a credential of the given scopes. */
    async profile(scopes: Scope[] = ['attribution:write', 'analytics:read', 'visitors:read']) {
      const id = await createProfile(pool)
      const { trackingKey } = await issueTrackingKey(pool, id)
      const headers = await bearer(pool, id, scopes, 10_000)
      const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
        const url = `/api/v1/tracking${path}`
        const answer = await app.inject({ method, url, headers, ...(body ? { payload: body } : {}) })
        return { status: answer.statusCode, body: answer.json() }
      }
      return { id, key: trackingKey.key, headers, call }
    },
    async close() {
      await app.close()
      await Promise.all([kafka.close(), outbound.close(), warehouse.drop()])
      await pool.end()
    },
  }
}
export type TrackingApp = Awaited<ReturnType<typeof openTrackingApp>>
