import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkout } from '../infra/local/cache.ts'
import { LaunchError } from '../infra/local/launch-error.ts'
import { type Line, type Pair, type Result, resultOf } from './line.ts'
import { attribution } from './lines/attribution.ts'
import { collector } from './lines/collector.ts'
import { customers } from './lines/customers.ts'
import { events } from './lines/events.ts'
import { freshness } from './lines/freshness.ts'
import { memory } from './lines/memory.ts'
import { people } from './lines/people.ts'
import { pipeline } from './lines/pipeline.ts'
import { recompute } from './lines/recompute.ts'
import { reports } from './lines/reports.ts'
import { tracker } from './lines/tracker.ts'
import { openStage, type Stage } from './stage.ts'
import { sentenceOf, tableOf } from './table.ts'

/** In the order they are run: the collector leaves a topic full of hits behind, memory has watched all the others. */
const lines: Line[] = [
  attribution,
  pipeline,
  freshness,
  collector,
  events,
  recompute,
  reports,
  customers,
  people,
  tracker,
  memory,
]

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, json: { type: 'string' }, quick: { type: 'boolean', default: false } },
})
const only = options.only?.split(',')
const unknown = only?.filter((name) => !lines.some((line) => line.name === name)) ?? []
if (unknown.length > 0) {
  console.error(`There is no line ${unknown.join(', ')}: choose from ${lines.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort())
const home = mkdtempSync(join(checkout, '.touchline-bench-'))
const began = Date.now()
try {
  const results = await runAll(lines.filter(({ name }) => !only || only.includes(name)))
  const machine = {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  const took = Math.round((Date.now() - began) / 1000)
  console.log(`\n${tableOf(results)}`)
  console.log(
    `${machine.cores} cores (${machine.cpu}), ${machine.memory_gb} GB, Node ${machine.node}, ${took} s` +
      `${options.quick ? ', quick: one round, small sizes' : ', median of three rounds'}`,
  )
  if (options.json) {
    const document = { measured_at: new Date(began).toISOString(), is_quick: options.quick, machine, results }
    writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`)
  }
} catch (error) {
  process.exitCode = interrupted.signal.aborted ? 130 : 1
  if (error instanceof LaunchError) console.error(error.message)
  else if (!interrupted.signal.aborted) throw error
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

async function runAll(chosen: Line[]): Promise<Result[]> {
  const report = (line: string) => console.log(line)
  const stage = await openStage({ home, isQuick: options.quick, report, signal: interrupted.signal })
  const stopped = new Promise<never>((_, reject) => {
    interrupted.signal.addEventListener('abort', () => reject(new Error('interrupted')))
  })
  stopped.catch(() => {})
  try {
    const results: Result[] = []
    for (const line of chosen) results.push(...(await Promise.race([runLine(line, stage), stopped])))
    return results
  } finally {
    await stage.stop()
  }
}

async function runLine(line: Line, stage: Stage): Promise<Result[]> {
  console.log(`\n${line.name}`)
  const rounds: Pair[][] = []
  try {
    await within(options.quick ? 120_000 : 900_000, measure(line, stage, rounds))
  } catch (error) {
    // The other lines are still worth having; what was not measured is not met.
    if (interrupted.signal.aborted) throw error
    process.exitCode = 1
    console.error(`  given up after ${rounds.length} rounds: ${(error as Error).message}`)
  }
  const results = line.figures.map((figure, at) =>
    resultOf(
      line.name,
      figure,
      rounds.map((round) => round[at]!),
    ),
  )
  for (const result of results) console.log(sentenceOf(result))
  return results
}

async function measure(line: Line, stage: Stage, rounds: Pair[][]): Promise<void> {
  const opened = await line.open(stage)
  const count = options.quick ? 1 : (line.rounds ?? 3)
  while (rounds.length < count) rounds.push(await opened.measure())
  await opened.close?.()
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const timer = Promise.withResolvers<never>()
  const late = setTimeout(() => timer.reject(new Error(`it took more than ${milliseconds / 1000} s`)), milliseconds)
  work.catch(() => {})
  return Promise.race([work, timer.promise]).finally(() => clearTimeout(late))
}
