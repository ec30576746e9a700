import Fastify from 'fastify'
import { Registry } from 'prom-client'
import { answerFailures } from '../http/failures.ts'
import { observe } from '../http/observability.ts'
import { runProcessors } from '../processors/main.ts'
import { connectEngines } from './engines.ts'
import { start } from './start.ts'

/** The stream side: every consumer, with health and metrics on a port of its own. */
await start('processors', async (config, logger) => {
  const { postgres, warehouse, producer, codec, vault, checks, close } = await connectEngines(config, logger, {
    // Nobody waits for an answer here, so a slow Postgres is worth waiting for.
    vaultTimeoutMs: 20_000,
  })
  const metrics = new Registry()
  const processors = runProcessors({
    brokers: config.kafkaBrokers,
    secret: config.secret,
    postgres,
    warehouse,
    producer,
    codec,
    vault,
    logger,
    metrics,
  })
  const app = Fastify()
  answerFailures(app, config.baseUrl)
  observe(app, { checks, metrics, isMetricsReader: config.isMetricsReader })
  await app.listen({ host: config.host, port: config.metricsPort })
  return {
    done: processors.done,
    stop: async () => {
      await processors.stop()
      await app.close()
      await close()
    },
  }
})
