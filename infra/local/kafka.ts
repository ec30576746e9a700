import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Admin } from '@platformatic/kafka'
import { brokerList } from '../config.ts'
import { cached } from './cache.ts'
import type { Engine, Place, Surroundings } from './engine.ts'
import { obtainJava, obtainMaven } from './java.ts'
import { LaunchError } from './launch-error.ts'
import { reportFetch } from './progress.ts'
import { runCommand } from './run-command.ts'

const pom = join(import.meta.dirname, 'kafka/pom.xml')
const log4j = `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'kafka/log4j2.properties')}`
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies'
const version = /<artifactId>kafka_2.13<\/artifactId>\s*<version>([^<]+)</.exec(readFileSync(pom, 'utf8'))?.[1]

export const kafka: Engine = {
  name: 'kafka',
  title: `Kafka ${version}`,
  variable: 'KAFKA_BROKERS',

  fetch: async (surroundings) => {
    await obtainJava(surroundings)
    await fetchJars(surroundings)
    return true
  },

  prepare: async (place) => {
    const java = await obtainJava(place)
    const classpath = join(await fetchJars(place), '*')
    const config = join(place.folder, 'server.properties')
    const data = join(place.folder, 'data')
    await mkdir(place.folder, { recursive: true })
    await format(place, { java, classpath, data })
    await writeFile(config, properties(place, data))
    const address = `127.0.0.1:${place.port}`
    // The second compiler takes a third of a core for the first minutes, and a local broker does not live to earn it back.
    const jvm = ['-Xms128m', '-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+ExitOnOutOfMemoryError', log4j]
    return {
      address,
      program: {
        name: 'kafka',
        command: java,
        args: [...jvm, '-cp', classpath, 'kafka.Kafka', config],
        env: place.env,
        cwd: place.folder,
        ready: () => kafka.check(address),
        graceMs: 30_000,
      },
    }
  },

  check: async (address) => {
    const admin = new Admin({
      clientId: 'touchline-launcher',
      bootstrapBrokers: brokerList(address),
      retries: 0,
      connectTimeout: 2_000,
      timeout: 5_000,
    })
    try {
      const { brokers } = await admin.metadata({ topics: [], retries: 0 })
      if (brokers.size === 0) throw new Error('the cluster has no broker yet')
      const plural = brokers.size === 1 ? 'broker' : 'brokers'
      return `${brokers.size} ${plural}`
    } finally {
      await admin.close()
    }
  },
}

async function fetchJars(surroundings: Surroundings): Promise<string> {
  const { env, report, signal } = surroundings
  return cached(`kafka-${version}`, async (folder) => {
    const maven = await obtainMaven(surroundings)
    const args = ['-q', '-B', copyDependencies, '-f', pom, '-DincludeScope=runtime', `-DoutputDirectory=${folder}`]
    try {
      await reportFetch(report, `Kafka ${version} through Maven`, () => runCommand(maven, args, { env, signal }))
    } catch (error) {
      signal?.throwIfAborted()
      throw new LaunchError(
        `Kafka ${version} could not be fetched: check Maven's settings and the network, then try again. ` +
          `(${(error as Error).message})`,
      )
    }
  })
}

/** Kafka wants its folder formatted once; it is done aside, so that the folder is whole or absent. */
async function format(place: Place, { java, classpath, data }: { java: string; classpath: string; data: string }) {
  if (existsSync(join(data, 'meta.properties'))) return
  const aside = `${data}.part`
  const config = join(place.folder, 'format.properties')
  await rm(data, { recursive: true, force: true })
  await rm(aside, { recursive: true, force: true })
  await writeFile(config, properties(place, aside))
  const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A')
  const tool = ['-Xmx128m', '-XX:TieredStopAtLevel=1', log4j, '-cp', classpath]
  const args = [...tool, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config]
  await runCommand(java, args, { env: place.env, signal: place.signal })
  await rename(aside, data)
  await rm(config, { force: true })
}

function properties({ port, secondPort }: Place, data: string): string {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${secondPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${secondPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    // A single node holds the only replica of everything.
    'default.replication.factor': 1,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // Sized for one machine: fewer internal partitions, and a cleaner that fits into a small heap.
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.num.partitions': 8,
    'share.coordinator.state.topic.num.partitions': 8,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
    'group.initial.rebalance.delay.ms': 0,
    // A broker that comes back after a crash waits until its former session has run out.
    'broker.session.timeout.ms': 4_000,
    'broker.heartbeat.interval.ms': 1_000,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${escaped(String(value))}\n`)
    .join('')
}

/** In a properties file a backslash begins an escape. */
const escaped = (value: string) => value.replaceAll('\\', '\\\\')
