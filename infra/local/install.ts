import { LaunchError } from './launch-error.ts'
import { engines } from './stack.ts'

// An engine whose address is set is not ours to fetch.
try {
  for (const engine of engines) {
    if (!process.env[engine.variable]) await engine.fetch({ env: process.env, report: (line) => console.log(line) })
  }
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
