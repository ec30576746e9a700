import type pg from 'pg'
import { drain } from '../../cli/drain.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { type Line, type Pair, percentile, secondsOf, valueAtMost } from '../line.ts'
import { type BenchProfile, openProfile } from '../profile.ts'
import type { Stage } from '../stage.ts'

const rowsPerImport = 1000

/** Customers by their identifiers: a full import, and what a caller waits for when somebody is erased. */
export const people: Line = {
  name: 'people',
  figures: [
    {
      name: 'import of 1,000 new rows',
      unit: 'ms',
      beside: 'the same rows into a bare table',
      target: valueAtMost(1000),
    },
    {
      name: 'import of 1,000 new rows, p95',
      unit: 'ms',
      beside: 'the same rows into a bare table',
      target: valueAtMost(1000),
    },
    {
      name: 'imports of 1,000 new rows, one right after the other, p95',
      unit: 'ms',
      beside: 'the same rows into a bare table',
      target: valueAtMost(1000),
    },
    {
      name: 'erasure until its answer, p95',
      unit: 'ms',
      beside: 'a transaction that writes one row',
      target: valueAtMost(300),
    },
  ],
  async open(stage) {
    const services = [await stage.service('processors'), await stage.service('api')]
    const pool = connectPostgres(stage.config.databaseUrl, { max: 1 })
    await pool.query('CREATE TABLE IF NOT EXISTS bench_people (email text, phone text, rut text, key text)')
    const imports = stage.isQuick ? 5 : 20
    const erasures = stage.isQuick ? 30 : 200
    let batch = 0
    return {
      async measure() {
        const profile = await openProfile(stage)
        const importing: Record<'alone' | 'inARow', number[]> = { alone: [], inARow: [] }
        const inserting: number[] = []
        for (let n = 0; n < 2 * imports; n++) {
          const isAlone = n < imports
          if (isAlone) await drain(stage.config, { timeoutMs: 120_000 })
          const rows = batchOf(batch++)
          const ms = await millisecondsOf(() => post(stage, profile, '/customers', { rows }))
          importing[isAlone ? 'alone' : 'inARow'].push(ms)
          inserting.push(await millisecondsOf(() => insert(pool, rows)))
        }
        await drain(stage.config, { timeoutMs: 120_000 })
        const erasing: number[] = []
        const writing: number[] = []
        for (const { external_id } of batchOf(batch - 1).slice(0, erasures)) {
          const body = { request_ref: `bench-${external_id}`, customer_key: external_id }
          erasing.push(await millisecondsOf(() => post(stage, profile, '/customers/erasures', body)))
          writing.push(await millisecondsOf(() => insert(pool, batchOf(0).slice(0, 1))))
        }
        const pair = (share: number, ours: number[], bare: number[]): Pair => ({
          value: percentile(ours, share),
          limit: percentile(bare, share),
        })
        return [
          pair(0.5, importing.alone, inserting),
          pair(0.95, importing.alone, inserting),
          pair(0.95, importing.inARow, inserting),
          pair(0.95, erasing, writing),
        ]
      },
      async close() {
        await pool.query('DROP TABLE bench_people')
        await pool.end()
        for (const service of services.toReversed()) await service.stop()
      },
    }
  },
}

const millisecondsOf = async (work: () => Promise<unknown>) => 1000 * (await secondsOf(work))

interface Row {
  email: string
  phone: string
  external_id: string
  first_name: string
  last_name: string
}

const batchOf = (batch: number): Row[] =>
  Array.from({ length: rowsPerImport }, (_, n) => ({
    email: `person-${batch}-${n}@example.com`,
    phone: `+569${String(10_000_000 + ((batch * rowsPerImport + n) % 89_999_999))}`,
    external_id: `bench-${batch}-${n}`,
    first_name: 'Ana',
    last_name: `Person ${n}`,
  }))

const insert = (pool: pg.Pool, rows: Row[]) =>
  pool.query('INSERT INTO bench_people SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])', [
    rows.map(({ email }) => email),
    rows.map(({ phone }) => phone),
    rows.map(({ last_name }) => last_name),
    rows.map(({ external_id }) => external_id),
  ])

async function post({ config }: Stage, { apiKey }: BenchProfile, path: string, body: object): Promise<void> {
  const response = await fetch(`${config.baseUrl}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  await response.arrayBuffer()
}
