import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { erasureSecrets } from '../../../../domain/erasures.ts'
import { evidenceOrder } from '../../../../domain/identity-graph.ts'
import { linkTokens } from '../../../../domain/link-tokens.ts'
import type { Scope } from '../../../../domain/scopes.ts'
import { vaultKeys } from '../../../../domain/sealing.ts'
import { buildApp, mount } from '../../../../http/app.ts'
import { type IdentityStore, identityStore } from '../../../../postgres/stores/identity.ts'
import { postgresVault, type Vault } from '../../../../postgres/stores/vault.ts'
import type { IdentityDeps } from '../../../../query-api/identity-operation.ts'
import { identityOperations } from '../../../../query-api/operations/index.ts'
import type { IdentifierType } from '../../../../schemas/messages.ts'
import { credentialsOf, testAccess } from '../../../credentials.ts'
import { baseUrl, bearer, captureLog } from '../../../http/test-app.ts'
import { config } from '../../../kafka.ts'
import { createProfile, openPostgres } from '../../../profiles.ts'

export interface People {
  pool: pg.Pool
  app: FastifyInstance
  vault: Vault
  identity: IdentityStore
  log: () => string
  credentials: ReturnType<typeof credentialsOf>
  profile(scopes?: Scope[]): Promise<Profile>
  close(): Promise<void>
}

const key = { id: 'test', secret: randomBytes(32) }

export type Profile = Awaited<ReturnType<typeof openProfile>>

/** The operations that name customers by their identifiers, over the engines of the tests. */
export async function openPeople(deps: Partial<IdentityDeps> = {}): Promise<People> {
  const pool = await openPostgres()
  const access = testAccess(pool)
  const vault = postgresVault(pool, vaultKeys(config.secret), { timeoutMs: 20_000 })
  const log = captureLog()
  const app = await buildApp({
    baseUrl,
    logger: log.logger,
    authenticate: access.authenticate,
    mounts: [
      mount(
        identityOperations,
        {
          postgres: pool,
          vault,
          erasureSecrets: erasureSecrets(config.secret),
          linkTokens: linkTokens([key]),
          ...deps,
        },
        ['postgres'],
      ),
    ],
  })
  const identity = identityStore(pool)
  return {
    pool,
    app,
    vault,
    identity,
    log: log.text,
    credentials: credentialsOf(pool, access),
    profile: (scopes = ['attribution:write']) => openProfile({ pool, app, vault, identity }, scopes),
    close: async () => {
      await app.close()
      await pool.end()
    },
  }
}

async function openProfile(
  { pool, app, vault, identity }: Pick<People, 'pool' | 'app' | 'vault' | 'identity'>,
  scopes: Scope[],
) {
  const id = await createProfile(pool)
  const headers = await bearer(pool, id, scopes, 100_000)
  let clock = Date.UTC(2026, 0, 1)
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    payload?: object,
    auth: Record<string, string> = headers,
  ) => {
    const url = `/api/v1${path}`
    const answer = await app.inject({ method, url, headers: auth, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, body: answer.json(), text: answer.body }
  }
  return {
    id,
    headers,
    get: (path: string, auth: Record<string, string> = headers) => send('GET', path, undefined, auth),
    post: (path: string, payload: object, auth: Record<string, string> = headers) => send('POST', path, payload, auth),
    /** What a processed message says of somebody; gives back the tokens by type. */
    async knows(
      person: Partial<Record<IdentifierType, string>>,
      { visitorId = null as string | null, firstName = null as string | null, lastName = null as string | null } = {},
    ) {
      const values = Object.entries(person).map(([type, value]) => ({ type: type as IdentifierType, value }))
      const entries = await vault.tokens(id, values)
      clock += 1000
      await identity.observe([
        {
          profileId: id,
          evidence: evidenceOrder(clock, randomUUID()),
          isTrusted: true,
          visitorId,
          identifiers: entries.map(({ type, token, value }) => ({ type, token, value })),
          firstName,
          lastName,
        },
      ])
      return Object.fromEntries(entries.map(({ type, token }) => [type, token])) as Record<IdentifierType, string>
    },
    async customerOf(token: string): Promise<string> {
      const { rows } = await pool.query('SELECT customer_id FROM identifiers WHERE profile_id = $1 AND token = $2', [
        id,
        token,
      ])
      return rows[0]?.customer_id
    },
    async count(table: string): Promise<number> {
      const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${table} WHERE profile_id = $1`, [id])
      return rows[0].n
    },
  }
}
