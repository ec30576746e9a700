import closeWithGrace from 'close-with-grace'
import { type Config, ConfigError, loadConfig } from '../infra/config.ts'
import { createLogger, type Logger } from '../infra/logger.ts'

/** Runs a service: a readable refusal of a bad configuration, and a graceful end on a signal or a fatal error. */
export async function start(
  name: string,
  service: (config: Config, logger: Logger) => Promise<{ done?: Promise<void>; stop: () => Promise<void> }>,
): Promise<void> {
  let config: Config
  try {
    config = loadConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exit(1)
  }
  const logger = createLogger({ level: config.logLevel, name })
  let failure: Error | undefined
  try {
    const running = await service(config, logger)
    const closing = closeWithGrace({ delay: 25_000, logger: false }, async ({ err, signal }) => {
      if (err) logger.fatal({ err }, 'stopping on an error')
      else logger.info({ signal }, 'stopping')
      await running.stop()
      // Whoever keeps the service looks at how it ended, and only this makes it end as a failure.
      if (failure) throw failure
    })
    running.done?.catch((err: Error) => {
      logger.fatal({ err }, 'the service cannot go on')
      failure = err
      closing.close()
    })
  } catch (err) {
    // What a setting points at is looked at only now: a file, say, that cannot be read.
    if (err instanceof ConfigError) console.error(err.message)
    else logger.fatal({ err }, 'the service could not start')
    process.exit(1)
  }
}
