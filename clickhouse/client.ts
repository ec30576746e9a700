import { Readable } from 'node:stream'
import { ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client'
import type { z } from 'zod'
import type { Query, Statement } from './query.ts'
import type { BinaryTable } from './row-binary.ts'

export interface Warehouse {
  run<P extends z.ZodObject, R extends z.ZodType>(query: Query<P, R>, params: z.input<P>): Promise<z.infer<R>[]>
  execute<P extends z.ZodObject>(statement: Statement<P>, params: z.input<P>): Promise<void>
  /** One insert, durable when it resolves; no rows, no call. */
  insert(table: string, rows: readonly object[]): Promise<void>
  /** The same for the tables that take most of the rows. */
  store<Row>(table: BinaryTable<Row>, rows: readonly Row[]): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

export interface WarehouseOptions {
  url: string
  /** The live generation's database; asked at each call, so that a flip needs no restart. */
  database: () => string
  requestTimeoutMs?: number
}

/**
 * Statements join in the order in which they are written, the smaller side on the right. To weigh other orders, to swap
 * sides and to set up filters between them takes longer than a small run reads; and reordered, a join on a computed key
 * loses it and pairs every row with every other.
 */
const asWritten: ClickHouseSettings = {
  query_plan_optimize_join_order_limit: 0,
  query_plan_join_swap_table: 'false',
  enable_join_runtime_filters: 0,
  join_algorithm: 'hash',
}

/** The analytical store: named queries with bound parameters and checked rows. */
export function connectClickhouse({ url, database, requestTimeoutMs = 120_000 }: WarehouseOptions): Warehouse {
  const client = createClient({
    url,
    request_timeout: requestTimeoutMs,
    max_open_connections: 20,
    // Lists of ids would not fit into an address.
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      date_time_output_format: 'iso',
      output_format_json_quote_64bit_integers: 1,
      // With FINAL the engine filters by the key (never by other columns) before it reads the rest of a row: a look-up in
      // many parts costs a third.
      optimize_move_to_prewhere_if_final: 1,
    },
  })
  const http_headers = () => ({ 'x-clickhouse-database': database() })
  return {
    async run(query, params) {
      const result = await client.query({
        query: query.sql,
        query_params: query.params.parse(params),
        format: 'JSONEachRow',
        http_headers: http_headers(),
      })
      const rows = await result.json<unknown>()
      return rows.map((row) => query.row.parse(row)) as never
    },
    async execute(statement, params) {
      await client.command({
        query: statement.sql,
        query_params: statement.params.parse(params),
        clickhouse_settings: asWritten,
        http_headers: http_headers(),
      })
    },
    async insert(table, rows) {
      if (rows.length === 0) return
      await client.insert({ table, values: rows, format: 'JSONEachRow', http_headers: http_headers() })
    },
    async store(table, rows) {
      if (rows.length === 0) return
      const { stream } = await client.exec({
        query: `INSERT INTO ${table.name} (${table.columns.join(', ')}) FORMAT RowBinary`,
        values: Readable.from([table.encode(rows)], { objectMode: false }),
        http_headers: http_headers(),
      })
      // An insert answers with nothing; read to its end, the connection serves the next.
      for await (const _ of stream);
    },
    async ping() {
      const answer = await client.ping()
      if (!answer.success) throw answer.error
    },
    close: () => client.close(),
  }
}
