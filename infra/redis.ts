import { Redis } from 'ioredis'

/** A client that fails at once while Redis is away instead of queueing: everything it serves has a way around it. */
export function connectRedis(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1000,
    commandTimeout: 250,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2000),
  })
  // Without a listener a lost connection would end the process; it is re-established in the background.
  redis.on('error', () => {})
  return redis
}
