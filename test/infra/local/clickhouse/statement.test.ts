import { describe, expect, it } from 'vitest'
import { analyseStatement } from '../../../../infra/local/clickhouse/statement.ts'

const rowsOf = (sql: string) => {
  const { rows } = analyseStatement(sql)
  return rows && { format: rows.format, text: sql.slice(rows.start) }
}

describe('a statement', () => {
  it('ends with its FORMAT clause, which SETTINGS may follow', () => {
    expect(analyseStatement('SELECT 1 FORMAT JSON').format?.name).toBe('JSON')
    expect(analyseStatement('SELECT 1 format CSV settings max_threads = 1;').format?.name).toBe('CSV')
    expect(analyseStatement("SELECT 'FORMAT JSON' -- FORMAT CSV").format).toBeUndefined()
    expect(analyseStatement('SELECT 1 AS format').format).toBeUndefined()
    expect(analyseStatement('SELECT * FROM (SELECT 1 FORMAT JSON)').format).toBeUndefined()
  })

  it('is a select also behind WITH, FROM, brackets and comments', () => {
    for (const sql of ['WITH 1 AS x SELECT x', '/* a */ (SELECT 1)', 'FROM t SELECT a', '-- b\nselect 1']) {
      expect(analyseStatement(sql).kind).toBe('select')
    }
    expect(analyseStatement('WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a').kind).toBe('insert')
    expect(analyseStatement('SHOW TABLES').kind).toBe('other')
    expect(analyseStatement(' ; -- nothing').kind).toBe('empty')
  })

  it('is alone: a semicolon inside a string or a comment starts no second one', () => {
    expect(analyseStatement("SELECT ';', \"a;b\", `c;`, $$;$$, 'it''s;', 'a\\';' /* ; */;").hasSecondStatement).toBe(
      false,
    )
    expect(analyseStatement('SELECT 1; DROP TABLE t').hasSecondStatement).toBe(true)
  })

  it('carries rows behind FORMAT or VALUES', () => {
    expect(rowsOf('INSERT INTO t (a, b) FORMAT JSONEachRow\n{"a":1}')).toEqual({
      format: 'JSONEachRow',
      text: '{"a":1}',
    })
    expect(rowsOf("INSERT INTO t VALUES (1, ';'), (2)")).toEqual({ format: 'Values', text: " (1, ';'), (2)" })
    expect(rowsOf('INSERT INTO t SETTINGS async_insert = 1 FORMAT RowBinary \n\n\x00')).toEqual({
      format: 'RowBinary',
      text: '\n\x00',
    })
    expect(rowsOf('INSERT INTO t SELECT 1')).toBeUndefined()
    expect(rowsOf('INSERT INTO values FORMAT CSV\n1')).toEqual({ format: 'CSV', text: '1' })
    expect(rowsOf('INSERT INTO db.format (format) FORMAT CSV\n1')).toEqual({ format: 'CSV', text: '1' })
  })
})
