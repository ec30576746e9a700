import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startUntilSignal } from './foreground.ts'

const { values } = parseArgs({ options: { 'engines-only': { type: 'boolean', default: false } } })
const { env } = process
const ready = await startUntilSignal({
  home: resolve(env.TOUCHLINE_HOME || '.touchline'),
  host: env.HOST || '127.0.0.1',
  port: Number(env.PORT || 8080),
  services: !values['engines-only'],
  env,
  report: (line) => console.log(line),
})
if (ready) console.log(`ready ${ready.stack.endpoints.base_url}`)
