import cluster from 'node:cluster'
import { keepApiWorkers } from './api-workers.ts'
import { start } from './start.ts'

/** The HTTP side: collectors and `/api/v1` on one port, served by one process or by several. */
await start('api', async (config, logger) => {
  if (cluster.isPrimary && config.apiWorkers > 1) return keepApiWorkers(config, logger)
  // Not above: a process that only keeps workers needs none of it in its memory.
  const { serveApi } = await import('./serve-api.ts')
  return serveApi(config, logger)
})
