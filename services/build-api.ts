import { Registry } from 'prom-client'
import { erasureSecrets } from '../domain/erasures.ts'
import { hookSeals } from '../domain/hooks/secrets.ts'
import { linkTokens } from '../domain/link-tokens.ts'
import {
  accessTokens,
  authentication,
  buildApp,
  localRateLimiter,
  mount,
  onceWithKey,
  piiAccessLog,
  redisRateLimiter,
  sessionCookies,
  tokenKeys,
} from '../http/app.ts'
import type { Config } from '../infra/config.ts'
import { domainRecords } from '../infra/domain-records.ts'
import { openGeoip } from '../infra/geoip.ts'
import { recentLag } from '../infra/kafka/recent-lag.ts'
import type { Logger } from '../infra/logger.ts'
import { connectOutbound } from '../infra/outbound.ts'
import { connectRedis } from '../infra/redis.ts'
import { collectPlugin } from '../ingest/collect.ts'
import { collectLimits } from '../ingest/collect-limits.ts'
import { hooksPlugin } from '../ingest/hooks/receive.ts'
import { locator } from '../ingest/locate.ts'
import { ingestMetrics } from '../ingest/metrics.ts'
import { operations as ingestOperations } from '../ingest/operations.ts'
import { servedHosts } from '../ingest/served-hosts.ts'
import { trackerScriptPlugin } from '../ingest/tracker-script.ts'
import { domainOwners } from '../postgres/stores/custom-domains.ts'
import { refusalCounter } from '../postgres/stores/refusals.ts'
import { trackingKeyLookup } from '../postgres/stores/tracking-key-lookup.ts'
import { trackingKeySightings } from '../postgres/stores/tracking-key-sightings.ts'
import {
  customerOperations,
  hookOperations,
  identityOperations,
  operations,
  sessionOperations,
} from '../query-api/operations/index.ts'
import { trackingOperations } from '../query-api/operations/tracking/index.ts'
import { schemaRegistry } from '../query-api/schema-registry.ts'
import { tokenEndpoint } from '../query-api/token-endpoint.ts'
import { buildTracker } from '../tracker/build.ts'
import { findFellows } from './api-workers.ts'
import type { connectEngines } from './engines.ts'
import { openSummaryWriter } from './summary-writer.ts'

export type ApiEngines = Omit<Awaited<ReturnType<typeof connectEngines>>, 'codec' | 'close'>

/** The whole HTTP side of a deployment over engines that are connected: what the service listens with, and tests call. */
export async function buildApi(config: Config, logger: Logger, engines: ApiEngines) {
  const { isTrustedProxy, isMetricsReader } = config
  const database = config.geoipDatabase ? { database: await openGeoip(config.geoipDatabase) } : {}
  const { postgres, warehouse, producer, vault, admin, checks } = engines
  const redis = config.redisUrl ? connectRedis(config.redisUrl) : undefined
  const rateLimiter = redis ? redisRateLimiter(redis) : localRateLimiter()
  const tokens = accessTokens(tokenKeys(config.tokenKeys, config.secret))
  const cookies = sessionCookies(config)
  const linked = linkTokens(config.linkTokenKeys)
  const metrics = new Registry()
  const collected = ingestMetrics(metrics)
  const fellows = await findFellows(metrics)
  const limits = collectLimits({ ...config.collectLimits, isTrustedProxy, redis, addresses: fellows?.addresses })
  const refusals = refusalCounter(postgres)
  const tracker = await buildTracker()
  const outbound = connectOutbound({ isAllowed: config.isOutboundAllowed, dnsServers: config.dnsServers })
  const lag = recentLag(admin)
  const records = domainRecords({ servers: config.dnsServers })
  const summaries = openSummaryWriter(config)
  const seals = hookSeals(config.secret)
  const app = await buildApp({
    baseUrl: config.baseUrl,
    apiUrl: config.apiUrl,
    logger,
    metrics,
    ...(fellows && { readMetrics: fellows.readMetrics }),
    isMetricsReader,
    isTrustedProxy,
    checks,
    authenticate: authentication({ postgres, tokens, cookies }),
    accessLog: piiAccessLog(postgres),
    once: onceWithKey(postgres, config.secret),
    rateLimiter,
    mounts: [
      mount(operations, { postgres, clickhouse: warehouse }, ['postgres', 'clickhouse']),
      mount(customerOperations, { postgres, clickhouse: warehouse, vault, summaryWriter: summaries.writer }, [
        'postgres',
        'clickhouse',
      ]),
      mount(
        identityOperations,
        { postgres, vault, linkTokens: linked, erasureSecrets: erasureSecrets(config.secret) },
        ['postgres'],
      ),
      mount(
        trackingOperations,
        {
          postgres,
          clickhouse: warehouse,
          tracker,
          trackerUrl: config.trackerUrl,
          outbound,
          domainRecords: records,
          lag,
        },
        ['postgres', 'clickhouse'],
      ),
      mount(hookOperations, { postgres, hookSeals: seals, baseUrl: config.baseUrl }, ['postgres']),
      mount(sessionOperations, { postgres, cookies, tokens, rateLimiter }, ['postgres']),
      mount(ingestOperations, { producer, vault, metrics: collected }, ['postgres', 'kafka']),
    ],
    plugins: [
      servedHosts({ own: config.collectorHosts, ownerOf: domainOwners(postgres) }, [
        collectPlugin({
          producer,
          vault,
          trackingKeys: trackingKeyLookup(postgres),
          keySightings: trackingKeySightings(postgres),
          locate: locator({ ...database, isTrustedProxy }),
          limits,
          metrics: collected,
          refusals,
          linkTokens: linked,
        }),
        trackerScriptPlugin(tracker),
      ]),
      hooksPlugin({ postgres, vault, hookSeals: seals, limiter: rateLimiter, metrics: collected }),
      tokenEndpoint({ postgres, tokens, rateLimiter }),
      async (scope) => void (await scope.register(schemaRegistry)),
    ],
  })
  return {
    app,
    stop: async () => {
      await app.close()
      await summaries.close()
      limits.stop()
      await refusals.stop()
      await outbound.close()
      redis?.disconnect()
    },
  }
}
