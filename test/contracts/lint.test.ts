import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { buildApi } from '../../services/build-api.ts'
import { connectEngines } from '../../services/engines.ts'
import { captureLog } from '../http/test-app.ts'
import { config } from '../kafka.ts'
import { openPostgres } from '../profiles.ts'

it('passes a standard linter without a warning, everything that is served included', async () => {
  await (await openPostgres()).end()
  const { logger } = captureLog()
  const engines = await connectEngines(config, logger)
  const { app, stop } = await buildApi(config, logger, engines)
  const described = (await app.inject({ url: '/api/v1/openapi.json' })).json()
  await stop()
  await engines.close()
  // A deployment has real hosts; this one listens on the loopback.
  const source = JSON.stringify({ ...described, servers: [{ url: 'https://touchline.example' }] })
  const rules = await createConfig({
    extends: ['recommended'],
    rules: {
      // The specification's own paths: /customers/{id}/journey and /customers/erasures/{erasure_id}.
      'no-ambiguous-paths': 'off',
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-media-type-examples': 'error',
      'operation-operationId-unique': 'error',
      'operation-parameters-unique': 'error',
      'no-http-verbs-in-paths': 'off',
      'no-identical-paths': 'error',
      'path-declaration-must-exist': 'error',
    },
  })
  const problems = await lintFromString({ source, config: rules })
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)).toEqual(
    [],
  )
})
