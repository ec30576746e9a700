export interface Token {
  kind: 'word' | 'quoted' | 'semicolon' | 'other'
  /** As written. */
  text: string
  /** In upper case when it is a word, to compare with keywords. */
  key: string
  start: number
  end: number
  /** How many brackets are open around it. */
  depth: number
}

const word = /[A-Za-z_\x80-\xff][\w\x80-\xff]*/y
const number = /\d[\w.]*/y
const blank = /\s+/y
const heredoc = /\$\w*\$/y

/** Splits SQL the way ClickHouse's lexer does, without comments and blanks. */
export function* tokenise(sql: string): Generator<Token> {
  let depth = 0
  let at = 0
  while (at < sql.length) {
    const skipped = skipBlank(sql, at)
    if (skipped > at) {
      at = skipped
      continue
    }
    const char = sql[at] ?? ''
    const start = at
    const quotedEnd = skipQuoted(sql, at, char)
    const wordEnd = quotedEnd > at ? at : skip(word, sql, at)
    at = quotedEnd > at ? quotedEnd : wordEnd > at ? wordEnd : Math.max(skip(number, sql, at), at + 1)
    const text = sql.slice(start, at)
    if (')]}'.includes(char)) depth--
    const kind = quotedEnd > start ? 'quoted' : wordEnd > start ? 'word' : char === ';' ? 'semicolon' : 'other'
    yield { kind, text, key: kind === 'word' ? text.toUpperCase() : text, start, end: at, depth }
    if ('([{'.includes(char)) depth++
  }
}

function skip(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(sql) ? pattern.lastIndex : at
}

function skipBlank(sql: string, at: number): number {
  const pair = sql.slice(at, at + 2)
  if (pair === '--' || pair === '# ' || pair === '#!') return endOr(sql, sql.indexOf('\n', at), 1)
  if (pair === '/*') return endOr(sql, sql.indexOf('*/', at + 2), 2)
  return skip(blank, sql, at)
}

function skipQuoted(sql: string, at: number, char: string): number {
  if (char === '$') {
    const opened = skip(heredoc, sql, at)
    if (opened === at) return at
    const tag = sql.slice(at, opened)
    return endOr(sql, sql.indexOf(tag, opened), tag.length)
  }
  if (char !== "'" && char !== '"' && char !== '`') return at
  for (let i = at + 1; i < sql.length; i++) {
    if (sql[i] === '\\') i++
    else if (sql[i] === char && sql[i + 1] === char) i++
    else if (sql[i] === char) return i + 1
  }
  return sql.length
}

const endOr = (sql: string, found: number, length: number) => (found < 0 ? sql.length : found + length)
