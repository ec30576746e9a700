import type { Config } from '../infra/config.ts'
import type { Logger } from '../infra/logger.ts'
import { doorOf, tellListening } from './api-workers.ts'
import { buildApi } from './build-api.ts'
import { connectEngines } from './engines.ts'

/** One process of the API, with connections of its own. */
export async function serveApi(config: Config, logger: Logger) {
  const engines = await connectEngines(config, logger)
  const { app, stop } = await buildApi(config, logger, engines)
  await app.listen(doorOf(config))
  tellListening()
  return {
    stop: async () => {
      await stop()
      await engines.close()
    },
  }
}
