import cluster from 'node:cluster'
import type { Config } from '../infra/config.ts'
import type { Logger } from '../infra/logger.ts'
import { buildApi } from './build-api.ts'
import { claimPort, openDoors } from './doors.ts'
import { connectEngines } from './engines.ts'
import { tellPrimary } from './primary.ts'

/** One process of the API, with connections of its own. */
export async function serveApi(config: Config, logger: Logger) {
  // What keeps several processes has claimed it for them.
  const port = cluster.isWorker ? config.port : await claimPort(config)
  const engines = await connectEngines(config, logger)
  const { app, stop } = await buildApi(config, logger, engines)
  await openDoors(app, { host: config.host, port })
  tellPrimary('listening')
  return {
    stop: async () => {
      await stop()
      await engines.close()
    },
  }
}
