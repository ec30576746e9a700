import { installDebianPackages } from './debian-packages.ts'
import type { Surroundings } from './engine.ts'
import { LaunchError } from './launch-error.ts'
import { findProgram } from './run-command.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A browser for tests and benchmarks: the machine's own, or Debian's package where it may be installed. */
export async function findChromium(surroundings: Surroundings): Promise<string> {
  const find = () => names.map((name) => findProgram(name, surroundings.env)).find(Boolean)
  const found = find()
  if (found) return found
  await installDebianPackages(['chromium'], surroundings)
  const installed = find()
  if (installed) return installed
  throw new LaunchError('No Chromium was found: install it (on Debian: apt-get install chromium) and try again.')
}

/** Without a sandbox it starts as root in a container; without the rest it calls nobody. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
