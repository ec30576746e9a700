import { parseArgs } from 'node:util'
import { loadStackSettings } from '../config.ts'
import { startUntilSignal } from './foreground.ts'

const { values } = parseArgs({ options: { 'engines-only': { type: 'boolean', default: false } } })
await startUntilSignal({
  ...loadStackSettings(),
  services: !values['engines-only'],
  env: process.env,
  report: (line) => console.log(line),
})
