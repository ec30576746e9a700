import { buildApi } from './build-api.ts'
import { connectEngines } from './engines.ts'
import { start } from './start.ts'

/** The HTTP side: collectors and `/api/v1` on one port. */
await start('api', async (config, logger) => {
  const engines = await connectEngines(config, logger)
  const { app, stop } = await buildApi(config, logger, engines)
  await app.listen({ host: config.host, port: config.port })
  return {
    stop: async () => {
      await stop()
      await engines.close()
    },
  }
})
