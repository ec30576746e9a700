import type { Surroundings } from './engine.ts'
import { reportFetch } from './progress.ts'
import { findProgram, runCommand } from './run-command.ts'

/** Where this is Debian and we are root; false when it cannot be done. */
export async function installDebianPackages(
  packages: string[],
  { env, report, signal }: Surroundings,
): Promise<boolean> {
  const apt = findProgram('apt-get', env)
  if (!apt || process.getuid?.() !== 0) return false
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, signal }
  const install = () => runCommand(apt, ['install', '-y', '-q', '--no-install-recommends', ...packages], options)
  try {
    await reportFetch(report, `the Debian packages ${packages.join(', ')}`, () =>
      install().catch(() => runCommand(apt, ['update', '-q'], options).then(install)),
    )
    return true
  } catch {
    return false
  }
}
