/** An error as ClickHouse's HTTP interface reports it: numeric code, name, text. */
export class ClickHouseError extends Error {
  readonly code: number
  readonly type: string

  constructor(code: number, type: string, message: string) {
    super(message)
    this.code = code
    this.type = type
  }
}

export const errors = {
  badArguments: (message: string) => new ClickHouseError(36, 'BAD_ARGUMENTS', message),
  notImplemented: (message: string) => new ClickHouseError(48, 'NOT_IMPLEMENTED', message),
  multipleStatements: () => new ClickHouseError(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)'),
  emptyQuery: () => new ClickHouseError(62, 'SYNTAX_ERROR', 'Syntax error: Empty query'),
  unknownSetting: (name: string) => new ClickHouseError(115, 'UNKNOWN_SETTING', `Unknown setting '${name}'`),
  queryTooLarge: (bytes: number) =>
    new ClickHouseError(161, 'QUERY_IS_TOO_LARGE', `The text of the query is larger than ${bytes} bytes`),
  tooManyQueries: (running: number, waiting: number) =>
    new ClickHouseError(
      202,
      'TOO_MANY_SIMULTANEOUS_QUERIES',
      `Too many simultaneous queries: ${running} are running and ${waiting} are waiting`,
    ),
  shuttingDown: () => new ClickHouseError(236, 'ABORTED', 'The server is shutting down'),
  unsupportedEncoding: (name: string) =>
    new ClickHouseError(48, 'NOT_IMPLEMENTED', `Content encoding '${name}' is not supported here`),
  internal: (error: unknown) =>
    new ClickHouseError(1002, 'UNKNOWN_EXCEPTION', error instanceof Error ? error.message : String(error)),
  undecodableBody: (encoding: string) =>
    new ClickHouseError(354, 'ZLIB_INFLATE_FAILED', `The request body is not valid ${encoding}`),
}

/** The engine's text repeats itself when an insert fails ("Code: 27 … Code: 27 … (X) (version …). (X)") and names the spool file. */
export function parseEngineError(error: unknown): ClickHouseError {
  if (error instanceof ClickHouseError) return error
  const text = (error instanceof Error ? error.message : String(error)).replace(/^Query failed: /, '')
  const code = /Code: (\d+)\. DB::Exception: /.exec(text)
  if (!code) return new ClickHouseError(1002, 'UNKNOWN_EXCEPTION', text)
  const types = [...text.matchAll(/\((?=[A-Z0-9_]*[A-Z]{3})([A-Z][A-Z0-9_]*)\)/g)]
  const type = types.at(-1)?.[1] ?? 'UNKNOWN_EXCEPTION'
  const message = text
    .slice(code.index)
    .replace(/^(Code: \d+\. DB::Exception: )+/, '')
    .replace(/\s*:? \(in file\/uri [^)]*\)/g, '')
    .replace(/: data for INSERT was parsed from file/g, '')
    .replace(/(\.?\s*(\([A-Z0-9_]+\)|\(version [^)]*\)))+\.?\s*$/, '')
    .trim()
  return new ClickHouseError(Number(code[1]), type, message)
}

export const errorText = (error: ClickHouseError, version: string) =>
  `Code: ${error.code}. DB::Exception: ${error.message}. (${error.type}) (version ${version})\n`

const byStatus: Record<number, number[]> = {
  400: [6, 8, 15, 25, 26, 27, 36, 38, 41, 44, 53, 62, 72, 117, 167, 168, 223, 321, 376, 427, 441, 675, 676, 677, 678],
  401: [194],
  403: [192, 193, 497, 516],
  404: [46, 47, 50, 56, 60, 63, 73, 78, 81, 91, 115, 336, 511],
  408: [159],
  413: [161],
  501: [48],
  // 202 answers 500 on a server; 503 tells callers that a retry helps.
  503: [76, 202, 209, 236, 439],
}
const statusOf = new Map(
  Object.entries(byStatus).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
)

export const httpStatus = (error: ClickHouseError) => statusOf.get(error.code) ?? 500

/** What a server of version 25.11 or later appends to a result that breaks off after its headers were sent. */
export function midStreamError(error: ClickHouseError, version: string, tag: string): string {
  const message = errorText(error, version)
  return `\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`
}
