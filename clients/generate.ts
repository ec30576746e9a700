import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadConfig } from '../infra/config.ts'
import { createLogger } from '../infra/logger.ts'
import { buildApi } from '../services/build-api.ts'
import { type Description, typesOf } from './openapi-types.ts'

export const generatedFile = join(import.meta.dirname, 'typescript/src/generated.ts')

/** The types of the whole API as this checkout serves it. Only its description is asked, so no engine is needed. */
export async function generateTypes(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'touchline-client-'))
  const config = loadConfig({
    TOUCHLINE_HOME: home,
    TOUCHLINE_SECRET: Buffer.alloc(32).toString('base64'),
    BASE_URL: 'https://touchline.example',
    KAFKA_BROKERS: 'localhost:1',
    CLICKHOUSE_URL: 'http://localhost:1',
    DATABASE_URL: 'postgres://localhost:1/none',
  })
  const nothing = new Proxy({}, { get: () => () => Promise.reject(new Error('no engine is there')) })
  const engines = {
    postgres: nothing,
    warehouse: nothing,
    producer: nothing,
    vault: nothing,
    admin: nothing,
    checks: {},
  }
  const { app, stop } = await buildApi(config, createLogger({ level: 'silent' }), engines as never)
  try {
    const answer = await app.inject('/api/v1/openapi.json')
    return typesOf(answer.json<Description>())
  } finally {
    await stop()
    rmSync(home, { recursive: true, force: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(generatedFile, await generateTypes())
  console.log(`${generatedFile} is current.`)
  process.exit()
}
