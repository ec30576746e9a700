import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

const personal = ['authorization', 'cookie', 'email', 'phone', 'password', 'secret', 'token', 'key', 'national_id']

/** JSON lines on standard output. Errors lose whatever could quote a caller's data; known names are censored. */
export function createLogger(options: { level: string; name?: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    ...(options.name === undefined ? {} : { name: options.name }),
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: personal.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    serializers: { err: describeError, error: describeError, req: () => undefined, res: () => undefined },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}

interface LoggedError {
  type: string
  code?: string
  message: string
  stack?: string
  cause?: LoggedError
}

/** Databases quote values in their messages and details: quoted text, e-mails and long numbers are cut out. */
function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error object' }
  const code = 'code' in error && error.code !== undefined ? { code: scrub(String(error.code)) } : {}
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    type: error.name,
    ...code,
    message: scrub(error.message),
    ...(frames?.length ? { stack: frames.join('\n') } : {}),
    ...(error.cause === undefined || depth > 3 ? {} : { cause: describeError(error.cause, depth + 1) }),
  }
}

const scrub = (text: string): string =>
  text
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replace(/\S+@\S+/g, '…')
    .replace(/\+?\d[\d\s().-]{6,}\d/g, '…')
    .slice(0, 500)
