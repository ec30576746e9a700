import { randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { type ClickHouseClient, TupleParam } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Front, newFolder, post, removeFolder, startFront } from './start-front.ts'

let folder: string
let front: Front
let client: ClickHouseClient

beforeAll(async () => {
  folder = await newFolder()
  front = await startFront(folder)
  client = connect(front.url)
}, 60_000)

afterAll(async () => {
  await client?.close()
  await front?.kill('SIGTERM')
  await removeFolder(folder)
})

it('refuses a parameter that a server would refuse, and takes one that it would take', async () => {
  const answer = async (count: number) => {
    const form = new FormData()
    form.set('query', 'SELECT length({ids:Array(UUID)}) AS n FORMAT TSV')
    form.set('param_ids', `[${Array(count).fill(`'${randomUUID()}'`).join(',')}]`)
    const response = await fetch(front.url, { method: 'POST', body: form })
    return [response.status, (await response.text()).trim()]
  }
  expect(await answer(3_000)).toEqual([200, '3000'])
  const [status, text] = await answer(3_400)
  expect(status).toBe(400)
  expect(text).toContain('Field value too long')
})

const rows = async (query: string, query_params: Record<string, unknown> = {}) =>
  (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Record<string, unknown>>()

async function newTable(columns: string): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await client.command({ query: `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()` })
  return name
}

describe('a query', () => {
  it('answers a ping', async () => {
    expect(await client.ping()).toEqual({ success: true })
    expect(await (await fetch(`${front.url}/ping`)).text()).toBe('Ok.\n')
  })

  it('comes by GET, by POST, or half in the address and half in the body', async () => {
    expect(await (await fetch(`${front.url}/?query=SELECT%201`)).text()).toBe('1\n')
    expect((await post(front.url, 'SELECT 2;')).bytes.toString()).toBe('2\n')
    expect(
      (await post(front.url, '3 AS x', { query: 'SELECT', default_format: 'CSVWithNames' })).bytes.toString(),
    ).toBe('"x"\n3\n')
  })

  it('cannot write by GET', async () => {
    const response = await fetch(`${front.url}/?query=CREATE%20DATABASE%20forbidden`)
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('164')
  })

  it('takes parameters of every kind as values, never as SQL', async () => {
    const text = `it's a "quoted" \\ \t tab \n line ' OR 1=1 -- ñ 漢字 🎯 \\N {x:String}`
    const id = randomUUID()
    const [row] = await rows(
      `SELECT {text:String} AS text, {id:UUID} AS id, {none:Nullable(String)} IS NULL AS none, {list:Array(String)} AS list,
              {numbers:Array(Int64)} AS numbers, {pair:Tuple(UInt8, String)} AS pair, {map:Map(String, String)} AS map,
              {at:DateTime64(3)} AS at, {flag:Bool} AS flag, toString({big:Int128}) AS big FROM system.{table:Identifier}`,
      {
        text,
        id,
        none: null,
        list: [text, '', "'"],
        numbers: [1, -2],
        pair: new TupleParam([7, text]),
        map: new Map([["a'b", text]]),
        at: new Date('2026-01-02T03:04:05.678Z'),
        flag: true,
        big: 170141183460469231731687303715884105727n,
        table: 'one',
      },
    )
    expect(row).toMatchObject({
      text,
      id,
      none: 1,
      list: [text, '', "'"],
      numbers: [1, -2],
      pair: [7, text],
      map: { "a'b": text },
      at: '2026-01-02 03:04:05.678',
      flag: true,
      big: '170141183460469231731687303715884105727',
    })
  })

  it('takes parameters larger than an address', async () => {
    const ids = Array.from({ length: 60_000 }, (_, i) => `id-${i}`)
    expect(await rows('SELECT length({ids:Array(String)}) AS n, {ids:Array(String)}[60000] AS last', { ids })).toEqual([
      { n: 60_000, last: 'id-59999' },
    ])
  })

  it('keeps settings, database and parameters to itself', async () => {
    await client.command({ query: 'CREATE DATABASE IF NOT EXISTS other' })
    const sql = "SELECT getSetting('max_threads') AS threads, currentDatabase() AS db"
    const changed = connect(front.url, { database: 'other', clickhouse_settings: { max_threads: 7 } })
    const both = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? rows(sql) : changedRows(changed, sql))),
    )
    const plain = await rows(sql)
    for (const [i, result] of both.entries()) expect(result).toEqual(i % 2 ? plain : [{ threads: 7, db: 'other' }])
    expect(plain[0]?.db).toBe('default')
    await expect(rows('SELECT {text:String}')).rejects.toMatchObject({ code: '456' })
    await changed.close()
  })

  it('has an end even if the caller set none, and the end the caller set', async () => {
    expect(await rows("SELECT getSetting('max_execution_time') > 0 AS bounded")).toEqual([{ bounded: 1 }])
    const slow = client.query({
      query: 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000)',
      clickhouse_settings: { max_execution_time: 1 },
    })
    await expect(slow).rejects.toMatchObject({ code: '159', type: 'TIMEOUT_EXCEEDED' })
  })

  it('stays within the memory it was given', async () => {
    const query = 'SELECT uniqExact(number) FROM numbers(100000000)'
    const clickhouse_settings = { max_memory_usage: '100000000' }
    await expect(client.query({ query, clickhouse_settings })).rejects.toMatchObject({ code: '241' })
  })

  it('fails with the code, name and status of a server', async () => {
    const cases = [
      ['SELECT * FROM missing', 404, '60', 'UNKNOWN_TABLE'],
      ['SELEC 1', 400, '62', 'SYNTAX_ERROR'],
      ['SELECT 1; SELECT 2', 400, '62', 'SYNTAX_ERROR'],
      ['SELECT missing()', 404, '46', 'UNKNOWN_FUNCTION'],
      ["SELECT toDate('x')", 400, '38', 'CANNOT_PARSE_DATE'],
      ['SELECT throwIf(1)', 500, '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
      ["SELECT 1 INTO OUTFILE '/tmp/x'", 400, '36', 'BAD_ARGUMENTS'],
      ['', 400, '62', 'SYNTAX_ERROR'],
    ] as const
    for (const [sql, status, code, name] of cases) {
      const answer = await post(front.url, sql)
      expect([sql, answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([sql, status, code])
      expect(answer.bytes.toString()).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: [^]*\\(${name}\\)`))
    }
    expect((await post(front.url, 'SELECT 1', { nonsense: '1' })).status).toBe(404)
    expect(
      (await post(front.url, 'SELECT 1', { database: 'missing' })).headers.get('x-clickhouse-exception-code'),
    ).toBe('81')
  })

  it('comes in any format, whole even when it is one document over many blocks', async () => {
    const sql = 'SELECT number AS n, toString(number) AS s FROM numbers(300000)'
    const document = JSON.parse((await post(front.url, `${sql} FORMAT JSON`)).bytes.toString())
    expect([document.rows, document.data.at(-1)]).toEqual([300_000, { n: 299_999, s: '299999' }])
    const csv = (await post(front.url, sql, { default_format: 'CSVWithNames' })).bytes.toString().split('\n')
    expect([csv.length, csv.filter((line) => line === '"n","s"').length]).toEqual([300_002, 1])
    const table = await newTable('n UInt64, s String')
    for (const format of [
      'Native',
      'RowBinary',
      'RowBinaryWithNamesAndTypes',
      'Parquet',
      'ArrowStream',
      'TSV',
      'CSV',
      'JSONCompactEachRow',
    ]) {
      const answer = await post(front.url, `${sql} FORMAT ${format}`)
      expect(answer.headers.get('x-clickhouse-format')).toBe(format)
      const stored = await post(front.url, answer.bytes, { query: `INSERT INTO ${table} FORMAT ${format}` })
      expect(JSON.parse(stored.headers.get('x-clickhouse-summary') ?? '').written_rows).toBe('300000')
    }
    expect(await rows(`SELECT count() AS c, uniqExact(n, s) AS u FROM ${table}`)).toEqual([
      { c: 2_400_000, u: 300_000 },
    ])
  }, 60_000)

  it('is compressed when the caller asks for it', async () => {
    const zipped = connect(front.url, { compression: { request: true, response: true } })
    const table = await newTable('n UInt64, s String')
    const values = Array.from({ length: 5000 }, (_, n) => ({ n, s: `row ${n}` }))
    await zipped.insert({ table, values, format: 'JSONEachRow' })
    const result = await zipped.query({ query: `SELECT * FROM ${table} ORDER BY n`, format: 'JSONEachRow' })
    expect(result.response_headers['content-encoding']).toBe('gzip')
    expect(await result.json()).toEqual(values)
    await zipped.close()
  })
})

describe('an insert', () => {
  it('fills defaults, reads ISO times when told so and reports its rows', async () => {
    const table = await newTable(
      "id UInt64, at DateTime64(3), note String DEFAULT 'none', tags Array(Nullable(String))",
    )
    const result = await client.insert({
      table,
      values: [{ id: 1, at: '2026-01-02T03:04:05.678Z', tags: ['a', null] }],
      format: 'JSONEachRow',
      clickhouse_settings: { date_time_input_format: 'best_effort', async_insert: 1, wait_for_async_insert: 1 },
    })
    expect(result.summary?.written_rows).toBe('1')
    expect(await rows(`SELECT * FROM ${table}`)).toEqual([
      { id: 1, at: '2026-01-02 03:04:05.678', note: 'none', tags: ['a', null] },
    ])
  })

  it('takes rows from the address, the body, values, a select and input()', async () => {
    const table = await newTable('n UInt64, s String')
    await post(front.url, '', { query: `INSERT INTO ${table} VALUES (1, 'address')` })
    await post(front.url, `INSERT INTO ${table} VALUES (2, 'body;'), (3, 'ñ')`)
    await post(front.url, `INSERT INTO ${table} (n) SETTINGS max_insert_threads = 1 FORMAT CSV\n4\n`)
    await post(front.url, `INSERT INTO ${table} SELECT 5, 'select'`)
    await post(front.url, '6\n', { query: `INSERT INTO ${table} SELECT x, 'input' FROM input('x UInt64') FORMAT TSV` })
    await post(front.url, '', { query: `INSERT INTO ${table} FORMAT JSONEachRow` })
    expect((await post(front.url, `SELECT * FROM ${table} ORDER BY n`)).bytes.toString()).toBe(
      '1\taddress\n2\tbody;\n3\tñ\n4\t\n5\tselect\n6\tinput\n',
    )
  })

  it('stores nothing of a body with a bad row, and says where it is', async () => {
    const table = await newTable('n UInt64')
    const answer = await post(front.url, '{"n":1}\n{"n":"x"}\n', { query: `INSERT INTO ${table} FORMAT JSONEachRow` })
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([400, '27'])
    expect(answer.bytes.toString()).toContain('(at row 2)')
    expect(answer.bytes.toString()).not.toContain(folder)
    expect(await rows(`SELECT count() AS c FROM ${table}`)).toEqual([{ c: 0 }])
  })

  it('is decoded from gzip, deflate, brotli, zstd and LZ4, and refused when it is none of them', async () => {
    const table = await newTable('s String')
    const row = Buffer.from(`{"s":"${'abcd'.repeat(30)}"}\n`)
    const bodies = {
      gzip: gzipSync(row),
      deflate: deflateSync(row),
      br: brotliCompressSync(row),
      zstd: zstdCompressSync(row),
      lz4: lz4Frame(),
    }
    for (const [encoding, body] of Object.entries(bodies)) {
      const query = { query: `INSERT INTO ${table} FORMAT JSONEachRow` }
      const answer = await post(front.url, body, query, { headers: { 'content-encoding': encoding } })
      expect([encoding, answer.status, answer.bytes.toString()]).toEqual([encoding, 200, ''])
      const broken = await post(front.url, body.subarray(0, 20), query, { headers: { 'content-encoding': encoding } })
      expect([encoding, broken.headers.get('x-clickhouse-exception-code')]).toEqual([encoding, '354'])
    }
    expect(await rows(`SELECT count() AS c, uniqExact(s) AS u, any(length(s)) AS l FROM ${table}`)).toEqual([
      { c: 5, u: 1, l: 120 },
    ])
  })

  it('is merged in the background', async () => {
    await client.command({
      query: `CREATE TABLE latest (k UInt64, v UInt64) ENGINE = ReplacingMergeTree(v) ORDER BY k
              SETTINGS min_age_to_force_merge_seconds = 1, merge_selecting_sleep_ms = 200`,
    })
    for (let v = 0; v < 3; v++) await client.insert({ table: 'latest', values: [{ k: 1, v }], format: 'JSONEachRow' })
    await expect.poll(() => rows('SELECT * FROM latest'), { timeout: 20_000 }).toEqual([{ k: 1, v: 2 }])
  }, 30_000)
})

async function changedRows(changed: ClickHouseClient, query: string) {
  return (await changed.query({ query, format: 'JSONEachRow' })).json()
}

/** `{"s":"` + 30 × `abcd` + `"}\n`, with an overlapping match as any encoder would write it. */
function lz4Frame(): Buffer<ArrayBuffer> {
  const head = Buffer.from('{"s":"abcd')
  const tail = Buffer.from('"}\n')
  const match = [0xaf, ...head, 4, 0, 116 - 4 - 15, tail.length << 4, ...tail]
  const size = Buffer.alloc(4)
  size.writeUInt32LE(match.length)
  return Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, ...size, ...match, 0, 0, 0, 0])
}
