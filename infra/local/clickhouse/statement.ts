import { type Token, tokenise } from './tokens.ts'

/**
 * Just enough of a statement to know where its parts are: the engine parses the SQL, this finds the FORMAT clause, the
 * start of inline rows and a second statement. Offsets are into the text it was given.
 */
export interface Statement {
  kind: 'empty' | 'select' | 'insert' | 'kill' | 'other'
  tokens: Token[]
  /** End of the SQL, before a closing semicolon and before inline rows. */
  end: number
  format: { name: string; start: number } | undefined
  rows: InlineRows | undefined
  hasSecondStatement: boolean
  /** It reads or writes a file of the caller's (INTO OUTFILE, FROM INFILE), which a server refuses over HTTP. */
  namesFile: boolean
}

export interface InlineRows {
  start: number
  format: string
  /** `input(` in INSERT … SELECT … FROM input(…), to be replaced by what holds the rows. */
  input: { start: number; end: number } | undefined
}

const selectStarts = new Set(['SELECT', 'WITH', 'FROM', '('])

export function analyseStatement(sql: string): Statement {
  const tokens: Token[] = []
  for (const token of tokenise(sql)) {
    tokens.push(token)
    const inline = tokens[0]?.key === 'INSERT' ? inlineRows(sql, tokens) : undefined
    if (inline) return { ...describe(tokens), kind: 'insert', end: inline.clauseStart, rows: inline }
  }
  return describe(tokens)
}

function describe(tokens: Token[]): Statement {
  const semicolon = tokens.findIndex((t) => t.kind === 'semicolon')
  const body = semicolon < 0 ? tokens : tokens.slice(0, semicolon)
  return {
    kind: kindOf(body),
    tokens: body,
    end: body.at(-1)?.end ?? 0,
    format: trailingFormat(body),
    rows: undefined,
    hasSecondStatement: semicolon >= 0 && tokens.slice(semicolon).some((t) => t.kind !== 'semicolon'),
    namesFile: body.some((t, i) => {
      const next = body[i + 1]?.key
      return t.depth === 0 && ((t.key === 'INTO' && next === 'OUTFILE') || (t.key === 'FROM' && next === 'INFILE'))
    }),
  }
}

function kindOf(tokens: Token[]): Statement['kind'] {
  const first = tokens[0]?.key
  if (first === undefined) return 'empty'
  if (first === 'INSERT') return 'insert'
  if (first === 'KILL') return 'kill'
  if (!selectStarts.has(first)) return 'other'
  const writes = tokens.some((t, i) => t.depth === 0 && t.key === 'INSERT' && tokens[i + 1]?.key === 'INTO')
  return writes ? 'insert' : 'select'
}

/** FORMAT counts when only SETTINGS may follow it: `SELECT 1 AS format` has none. */
function trailingFormat(tokens: Token[]): Statement['format'] {
  for (let i = tokens.length - 2; i >= 0; i--) {
    const [keyword, name, after] = tokens.slice(i, i + 3)
    if (keyword?.key !== 'FORMAT' || keyword.depth > 0 || name?.kind !== 'word') continue
    if (after === undefined || after.key === 'SETTINGS') return { name: name.text, start: keyword.start }
  }
  return undefined
}

function inlineRows(sql: string, tokens: Token[]): (InlineRows & { clauseStart: number }) | undefined {
  const [before, clause, last] = tokens.slice(-3)
  if (!before || !clause || !last || last.depth > 0 || last.kind !== 'word') return undefined
  const isValues = last.key === 'VALUES' && startsClause(clause)
  const isFormat = clause.key === 'FORMAT' && clause.kind === 'word' && startsClause(before)
  if (!isValues && !isFormat) return undefined
  const isSelect = tokens.some((t) => t.depth === 0 && t.key === 'SELECT')
  const input = isSelect ? inputCall(tokens) : undefined
  if (isSelect && (isValues || !input)) return undefined
  if (isValues) return { clauseStart: last.start, start: last.end, format: 'Values', input }
  // As the server does: blanks after the format's name and one line break do not belong to the rows.
  const gap = /^[ \t\f]*;?[ \t\f]*\r?\n?/.exec(sql.slice(last.end, last.end + 1024))?.[0].length ?? 0
  return { clauseStart: clause.start, start: last.end + gap, format: last.text, input }
}

/** What follows a name's beginning is a name: `INSERT INTO values`, `INSERT INTO db.format`. */
const startsClause = (before: Token) => !['INTO', 'TABLE', '.'].includes(before.key)

function inputCall(tokens: Token[]): InlineRows['input'] {
  const at = tokens.findIndex((t, i) => t.key === 'INPUT' && tokens[i + 1]?.key === '(')
  const [name, open] = tokens.slice(at, at + 2)
  return at >= 0 && name && open ? { start: name.start, end: open.end } : undefined
}
