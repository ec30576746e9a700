import { errors } from './errors.ts'
import type { QueryRequest } from './request.ts'
import type { ReceivedQuery } from './request-body.ts'
import { quote, quoteName } from './sql-text.ts'

const selectSeconds = '120'
const writeSeconds = '300'
/** The server's own default: a statement that passes here passes there. */
const maxQuerySize = '262144'

/** What the engine is to run for a request: `before` puts the session in the state the caller asked for. */
export interface PreparedQuery {
  before: string[]
  sql(target: string): string
  format: string
  /** Its result goes to a pipe or a file named by `target`; other statements answer in memory. */
  isStreamed: boolean
  isWrite: boolean
}

export function prepareQuery(request: QueryRequest, received: ReceivedQuery, memoryBytes: number): PreparedQuery {
  const { statement } = received
  if (statement.kind === 'empty') throw errors.emptyQuery()
  if (statement.hasSecondStatement) throw errors.multipleStatements()
  if (statement.namesFile) throw errors.badArguments('INTO OUTFILE and FROM INFILE are not allowed over HTTP')
  const isWrite = statement.kind === 'insert' || statement.kind === 'other'
  const format = statement.format?.name ?? request.defaultFormat ?? 'TabSeparated'
  return {
    before: [`USE ${quoteName(request.database)}`, sessionState(request, isWrite, memoryBytes)],
    sql: statementText(received, format),
    format,
    isStreamed: statement.kind === 'select',
    isWrite,
  }
}

/** One SET for settings and parameters; `readonly` stands last because it forbids every later one. */
function sessionState(request: QueryRequest, isWrite: boolean, memoryBytes: number): string {
  const settings = new Map([
    ['log_comment', request.queryId],
    ['max_execution_time', isWrite ? writeSeconds : selectSeconds],
    ['max_memory_usage', String(Math.floor(memoryBytes * 0.8))],
    ['max_query_size', maxQuerySize],
    ...request.settings,
  ])
  const readonly = settings.get('readonly') ?? '0'
  settings.delete('readonly')
  if (request.isReadOnly && readonly === '0') settings.set('readonly', '2')
  else if (readonly !== '0') settings.set('readonly', readonly)
  const params = [...request.params].map(([name, value]) => `param_${name} = ${quote(value)}`)
  return `SET ${[...params, ...[...settings].map(([name, value]) => `${name} = ${quote(value)}`)].join(', ')}`
}

function statementText({ sql, statement, rows }: ReceivedQuery, format: string): (target: string) => string {
  const text = (from: number, to: number) => sql.toString('utf8', from, to)
  if (rows) {
    const insert = statement.rows?.input ? inputInsert : fileInsert
    return () => insert({ sql, statement, rows })
  }
  if (statement.kind === 'select') {
    const outfileAt = statement.format?.start ?? statement.end
    const rest = statement.format ? text(statement.format.start, statement.end) : `FORMAT ${format}`
    return (target) => `${text(0, outfileAt)}\nINTO OUTFILE ${quote(target)} TRUNCATE ${rest}`
  }
  // The engine gives a query its own id; the caller's is in log_comment.
  if (statement.kind === 'kill') return () => killText(sql, statement)
  return () => text(0, statement.end)
}

type Insert = Pick<ReceivedQuery, 'sql' | 'statement'> & { rows: NonNullable<ReceivedQuery['rows']> }

function fileInsert({ sql, statement, rows }: Insert): string {
  const settingsAt = statement.tokens.find((t) => t.key === 'SETTINGS' && t.depth === 0)?.start ?? statement.end
  const source = `FROM INFILE ${quote(rows.file)} COMPRESSION 'none'`
  const settings = sql.toString('utf8', settingsAt, statement.end)
  return `${sql.toString('utf8', 0, settingsAt)}\n${source} ${settings}\nFORMAT ${rows.format}`
}

function inputInsert({ sql, statement, rows }: Insert): string {
  const { start, end } = statement.rows?.input ?? { start: 0, end: 0 }
  const source = `file(${quote(rows.file)}, ${quote(rows.format)}, `
  return `${sql.toString('utf8', 0, start)}${source}${sql.toString('utf8', end, statement.end)}`
}

/** SYNC would wait for ever for a query that has already ended: the engine misses its end. */
function killText(sql: Buffer, statement: ReceivedQuery['statement']): string {
  const replacements: Record<string, string> =
    statement.tokens[1]?.key === 'QUERY' ? { QUERY_ID: "Settings['log_comment']", SYNC: 'ASYNC' } : {}
  let text = ''
  let at = 0
  for (const token of statement.tokens) {
    const replacement = replacements[token.key]
    if (replacement === undefined) continue
    text += sql.toString('utf8', at, token.start) + replacement
    at = token.end
  }
  return text + sql.toString('utf8', at, statement.end)
}
