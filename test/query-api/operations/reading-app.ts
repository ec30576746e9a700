import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Scope } from '../../../domain/scopes.ts'
import { apiKeyAuthentication, buildApp, mount } from '../../../http/app.ts'
import { createProfile } from '../../../postgres/stores/tenancy.ts'
import { customerOperations, operations } from '../../../query-api/operations/index.ts'
import { ownWriter } from '../../../query-api/summary-writer.ts'
import { type FreshWarehouse, freshWarehouse } from '../../fresh-warehouse.ts'
import { baseUrl, bearer, captureLog, guards } from '../../http/test-app.ts'
import { openProfile } from '../../processors/attribution/world.ts'
import { openPostgres } from '../../profiles.ts'
import { testVault } from './customers/known-people.ts'

/** The reading side of the API over a warehouse of its own. */
export async function openReadingApp({ summaryWriter = ownWriter } = {}) {
  const pool: pg.Pool = await openPostgres()
  const warehouse: FreshWarehouse = await freshWarehouse()
  const deps = { postgres: pool, clickhouse: warehouse, vault: testVault(pool), summaryWriter }
  const log = captureLog()
  const app: FastifyInstance = await buildApp({
    baseUrl,
    logger: log.logger,
    authenticate: apiKeyAuthentication(pool),
    ...guards(pool),
    mounts: [
      mount(operations, deps, ['postgres', 'clickhouse']),
      mount(customerOperations, deps, ['postgres', 'clickhouse']),
    ],
  })
  const caller = async (method: 'GET' | 'POST', profileId: string, scopes: Scope[]) => {
    const headers = await bearer(pool, profileId, scopes, 10_000)
    return async (path: string) => {
      const answer = await app.inject({ method, url: `/api/v1${path}`, headers })
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
    }
  }
  return {
    pool,
    warehouse,
    log: log.text,
    caller,
    /** A profile with a key that reads it, and facts to be written by hand. */
    async profile({ currency = 'USD', timezone = 'UTC' } = {}) {
      const { profileId: id } = await createProfile(pool, { name: 'test', currency, timezone })
      const world = await openProfile(warehouse, { profile: id, currency, timezone })
      const reader = (scopes: Scope[]) => caller('GET', id, scopes)
      return { id, world, reader, read: await reader(['campaigns:read', 'customers:read']) }
    },
    async close() {
      await app.close()
      await warehouse.drop()
      await pool.end()
    },
  }
}
