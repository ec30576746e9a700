import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { addressList, type IsListed } from './address-list.ts'

/** Addresses of a running stack, written by the launcher to `$TOUCHLINE_HOME/endpoints.json`. */
export const Endpoints = z.object({
  base_url: z.string(),
  clickhouse_url: z.string(),
  database_url: z.string(),
  kafka_brokers: z.string(),
  redis_url: z.string().nullable(),
})
export type Endpoints = z.infer<typeof Endpoints>

const addresses = (standard: string) =>
  z
    .string()
    .default(standard)
    .transform((text, context): IsListed => {
      const list = addressList(text)
      if (list) return list
      context.addIssue({ code: 'custom', message: 'it takes addresses, CIDR blocks, loopback, private or none' })
      return z.NEVER
    })

/** `host:port`, or a host alone, separated by commas. */
const isBroker = (broker: string) => /^(\[[\da-f:.]+\]|[^\s:/[\]]+)(:\d{1,5})?$/i.test(broker)
export const brokerList = (text: string): string[] => text.split(',').map((broker) => broker.trim())

const isNameServer = (server: string) => isIP(server.replace(/^\[(.+)\](:\d{1,5})?$|^([\d.]+):\d{1,5}$/, '$1$3')) !== 0

/** `id:secret` pairs, secrets of at least 32 bytes in base64, separated by commas. */
const TokenKeys = z.string().transform((text, context) =>
  text.split(',').map((pair) => {
    const [, id, secret] = /^\s*([A-Za-z0-9_-]{1,64}):([A-Za-z0-9+/=]+)\s*$/.exec(pair) ?? []
    const bytes = Buffer.from(secret ?? '', 'base64')
    if (id && bytes.length >= 32) return { id, secret: bytes }
    context.addIssue({ code: 'custom', message: 'it takes id:secret pairs, secrets of 32 bytes or more in base64' })
    return z.NEVER
  }),
)

const Environment = z.object({
  TOUCHLINE_HOME: z.string().default(join(import.meta.dirname, '../.touchline')),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(8080),
  BASE_URL: z.url().optional(),
  API_URL: z.url().optional(),
  /** Where pages fetch the tracker and send their hits, unless a profile has a domain of its own. */
  TRACKER_URL: z.url().optional(),
  /** Further names, separated by commas, under which the collector is called from inside. */
  COLLECTOR_HOSTS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter((host) => host !== ''),
    ),
  KAFKA_BROKERS: z
    .string()
    .refine((text) => brokerList(text).every(isBroker), { error: 'it takes host:port, separated by commas' })
    .optional(),
  CLICKHOUSE_URL: z.url().optional(),
  DATABASE_URL: z.url().optional(),
  REDIS_URL: z.url().optional(),
  /** 32 bytes in base64: the root of every key that domain/sealing.ts derives. */
  TOUCHLINE_SECRET: z.string().optional(),
  /** Keys of app and MCP tokens: the first signs, all verify. One that comes from the root secret when there is none. */
  TOKEN_KEYS: TokenKeys.optional(),
  /** Keys of link tokens: the first makes them, all open them. Without one there are no link tokens. */
  LINK_TOKEN_KEYS: TokenKeys.optional(),
  SCHEMA_REGISTRY_URL: z.url().optional(),
  /** Whose X-Forwarded-For and location headers are believed. */
  TRUSTED_PROXIES: addresses('loopback'),
  /** Who may read /metrics, never through a proxy. */
  METRICS_ALLOWED: addresses('loopback,private'),
  /** A .mmdb file with the fields of a City or Country database. */
  GEOIP_DATABASE: z.string().optional(),
  /** Hits a minute; 0 is no limit. */
  COLLECT_LIMIT_PER_KEY: z.coerce.number().int().min(0).default(6_000_000),
  /** Requests a minute; 0 is no limit. */
  COLLECT_LIMIT_PER_ADDRESS: z.coerce.number().int().min(0).default(6_000),
  /** Processes that serve the API on its one port; as many as cores, up to four, where Redis keeps their limits. */
  API_WORKERS: z.coerce.number().int().min(1).max(64).optional(),
  /** Addresses that are called although they are not public: a private network's own. */
  OUTBOUND_ALLOWED: addresses('none'),
  /** Name servers for custom domains and outbound calls, `address[:port]` separated by commas; else the system's. */
  DNS_SERVERS: z
    .string()
    .transform((text) => text.split(',').map((server) => server.trim()))
    .refine((servers) => servers.every(isNameServer), { error: 'it takes addresses, each with a port if need be' })
    .optional(),
  /** An OpenAI-compatible endpoint that writes journey summaries, `https://…/v1`; without one the service does. */
  AI_URL: z.url().optional(),
  AI_MODEL: z.string().min(1).optional(),
  AI_API_KEY: z.string().min(1).optional(),
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** What docs/operations.md explains. */
export const settingNames = Object.keys(Environment.shape)

export interface Config {
  home: string
  host: string
  port: number
  baseUrl: string
  apiUrl: string
  trackerUrl: string
  /** Names of our own, under which the collector answers. */
  collectorHosts: string[]
  kafkaBrokers: string[]
  clickhouseUrl: string
  databaseUrl: string
  redisUrl: string | undefined
  secret: Buffer
  tokenKeys: { id: string; secret: Buffer }[]
  linkTokenKeys: { id: string; secret: Buffer }[]
  schemaRegistryUrl: string | undefined
  metricsPort: number
  isMetricsReader: IsListed
  isTrustedProxy: IsListed
  geoipDatabase: string | undefined
  apiWorkers: number
  collectLimits: { perKey: number; perAddress: number }
  isOutboundAllowed: IsListed
  dnsServers: string[] | undefined
  /** The model that writes summaries. */
  ai: { url: string; model: string; key: string | undefined } | undefined
  logLevel: string
}

const maxWorkers = 4

/** A setting that is missing or malformed; its message is the one sentence an operator needs. */
export class ConfigError extends Error {}

/** The only place that reads the environment of a service: what is unset comes from the stack in TOUCHLINE_HOME. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const e = parseEnvironment(env)
  const home = resolve(e.TOUCHLINE_HOME)
  const running = readEndpoints(home)
  const address = (name: 'KAFKA_BROKERS' | 'CLICKHOUSE_URL' | 'DATABASE_URL', found: string | undefined): string => {
    const value = e[name] ?? found
    if (!value) throw new ConfigError(`${name} is not set and no stack runs in ${home}: run "make up" or set ${name}.`)
    return value
  }
  const baseUrl = (e.BASE_URL ?? running?.base_url ?? `http://${e.HOST}:${e.PORT}`).replace(/\/$/, '')
  const apiUrl = (e.API_URL ?? baseUrl).replace(/\/$/, '')
  const redisUrl = e.REDIS_URL ?? running?.redis_url ?? undefined
  const trackerUrl = (e.TRACKER_URL ?? baseUrl).replace(/\/$/, '')
  return {
    home,
    host: e.HOST,
    port: e.PORT,
    baseUrl,
    apiUrl,
    trackerUrl,
    collectorHosts: [...[baseUrl, apiUrl, trackerUrl].map((url) => new URL(url).hostname), ...e.COLLECTOR_HOSTS],
    kafkaBrokers: brokerList(address('KAFKA_BROKERS', running?.kafka_brokers)),
    clickhouseUrl: address('CLICKHOUSE_URL', running?.clickhouse_url),
    databaseUrl: address('DATABASE_URL', running?.database_url),
    redisUrl,
    secret: secretOf(e.TOUCHLINE_SECRET ?? readSecret(secretFile(home)), home),
    tokenKeys: e.TOKEN_KEYS ?? [],
    linkTokenKeys: e.LINK_TOKEN_KEYS ?? localLinkTokenKeys(home),
    schemaRegistryUrl: e.SCHEMA_REGISTRY_URL,
    metricsPort: e.METRICS_PORT,
    isMetricsReader: e.METRICS_ALLOWED,
    isTrustedProxy: e.TRUSTED_PROXIES,
    geoipDatabase: e.GEOIP_DATABASE,
    // Without Redis each process would count for itself, and limits be as many times too high.
    apiWorkers: e.API_WORKERS ?? (redisUrl ? Math.min(availableParallelism(), maxWorkers) : 1),
    collectLimits: { perKey: e.COLLECT_LIMIT_PER_KEY, perAddress: e.COLLECT_LIMIT_PER_ADDRESS },
    isOutboundAllowed: e.OUTBOUND_ALLOWED,
    dnsServers: e.DNS_SERVERS,
    ai: modelOf(e),
    logLevel: e.LOG_LEVEL,
  }
}

/** What is needed to start or find a stack, before it has any address. */
export function loadStackSettings(env: NodeJS.ProcessEnv = process.env): Pick<Config, 'home' | 'host' | 'port'> {
  const { TOUCHLINE_HOME, HOST, PORT } = parseEnvironment(env)
  return { home: resolve(TOUCHLINE_HOME), host: HOST, port: PORT }
}

export const endpointsFile = (home: string) => join(home, 'endpoints.json')
export const secretFile = (home: string) => join(home, 'secret')
export const linkTokenKeyFile = (home: string) => join(home, 'link-token-key')

function parseEnvironment(env: NodeJS.ProcessEnv) {
  const parsed = Environment.safeParse(dropEmpty(env))
  if (!parsed.success) throw new ConfigError(describe(parsed.error))
  return parsed.data
}

function dropEmpty(env: NodeJS.ProcessEnv) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues
  return `${issue?.path.join('.')} is not usable: ${issue?.message}. Correct it in the environment and start again.`
}

export function readEndpoints(home: string): Endpoints | undefined {
  try {
    return Endpoints.parse(JSON.parse(readFileSync(endpointsFile(home), 'utf8')))
  } catch {
    return undefined
  }
}

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

function modelOf({ AI_URL, AI_MODEL, AI_API_KEY }: z.infer<typeof Environment>): Config['ai'] {
  if (!AI_URL) return undefined
  if (!AI_MODEL)
    throw new ConfigError('AI_URL is set without AI_MODEL: set the name of the model that writes summaries.')
  return { url: AI_URL, model: AI_MODEL, key: AI_API_KEY }
}

/** A stack on this machine made one for itself. */
function localLinkTokenKeys(home: string) {
  const stored = readSecret(linkTokenKeyFile(home))
  return stored ? TokenKeys.parse(stored) : []
}

function secretOf(value: string | undefined, home: string): Buffer {
  if (!value) {
    throw new ConfigError(`TOUCHLINE_SECRET is not set and ${secretFile(home)} does not exist: set 32 bytes in base64.`)
  }
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length !== 32) throw new ConfigError('TOUCHLINE_SECRET must be exactly 32 bytes in base64.')
  return bytes
}
