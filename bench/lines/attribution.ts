import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveCredits } from '../../clickhouse/attribution/derive-credits.ts'
import { cached } from '../../infra/local/cache.ts'
import { findPython } from '../../infra/local/python-wheel.ts'
import { runCommand } from '../../infra/local/run-command.ts'
import { type Line, ratioAtMost, secondsOf, valueAtMost } from '../line.ts'
import { makePaths } from '../paths.ts'
import type { Database, Stage } from '../stage.ts'

const peer = 'ChannelAttribution==2.2.5'

/** Six models over paths that stand ready, beside three of ChannelAttribution over the same paths. */
export const attribution: Line = {
  name: 'attribution',
  figures: [
    {
      name: 'six models, a million paths',
      unit: 's',
      beside: 'ChannelAttribution, three models',
      target: ratioAtMost(1 / 3),
    },
    {
      name: 'largest difference of a channel’s sums',
      unit: 'conversions',
      beside: 'all conversions',
      target: valueAtMost(0.01),
    },
  ],
  async open(stage) {
    const customers = stage.isQuick ? 100_000 : 1_000_000
    const database = await stage.database()
    await makePaths(database, { customers, touches: [1, 1, 2, 3, 3, 4, 4, 4, 5, 6] })
    await layPaths(database)
    const heuristics = await installPeer(stage, database)
    return {
      async measure() {
        const theirs = await heuristics()
        let sums: Sums[] = []
        const value = await secondsOf(async () => {
          sums = await database.rows<Sums>(modelPass())
        })
        return [
          { value, limit: theirs.seconds },
          { value: largestDifference(sums, theirs.sums), limit: customers },
        ]
      },
      close: () => database.close(),
    }
  },
}

interface Sums {
  channel: string
  first: number
  last: number
  linear: number
}

/** Paths stand ready, one row each, with what a model looks at, as the peer's do: when, by which channel, whether direct. */
async function layPaths({ run }: Database): Promise<void> {
  await run(
    `CREATE TABLE laid_paths ENGINE = MergeTree ORDER BY customer_id AS
     SELECT t.profile_id AS profile_id, t.subject_id AS customer_id, toUnixTimestamp64Milli(max(t.touch_time)) + 86400000 AS at,
       at - 30 * 86400000 AS since,
       arraySort(touch -> (touch.1, UUIDToNum(touch.2)), groupArray((toUnixTimestamp64Milli(t.touch_time), t.touch_id,
         t.channel, t.is_direct))) AS touches_in_order,
       arrayZip(touches_in_order.1, touches_in_order.3, touches_in_order.4) AS path
     FROM touches AS t GROUP BY profile_id, customer_id`,
  )
}

/** The very weights of the recompute, cut out of its statement, over the paths; summed by channel. */
function modelPass(): string {
  const weights = /\n {2}measured AS \(.*?\n {2}credited AS \(.*?\n {2}\)\n/s.exec(deriveCredits.sql)?.[0]
  if (!weights) throw new Error('derive_credits is not cut into steps as it was: adapt bench/lines/attribution.ts')
  const models = ['last', 'first', 'linear', 'decay', 'non_direct', 'position']
  return `
    WITH toUInt32(1000000000) AS whole, toUInt32(0) AS nought,
      windowed AS (
        SELECT arraySlice(arrayFilter(touch -> touch.1 <= at AND touch.1 >= since, path), -500) AS touches_in FROM laid_paths
      ),
      changed AS (SELECT touches_in.2 AS channels, touches_in.1 AS times, touches_in.3 AS directs FROM windowed),
      ${weights.trim()}
    SELECT channel, ${models.map((name) => `sum(${name}) / 1e9 AS ${name}`).join()}
    FROM credited ARRAY JOIN channels AS channel, ${models.map((name, at) => `weights.${at + 1} AS ${name}`).join()}
    GROUP BY channel`
}

async function installPeer({ env, report, config }: Stage, { rows }: Database) {
  const python = findPython(env)
  if (!python)
    throw new Error('ChannelAttribution needs python3 with pip: install it, or leave this line out with --only')
  const packages = await cached(peer.replace('==', '-').toLowerCase(), async (folder) => {
    report(`  fetching ${peer} from PyPI`)
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', folder]
    await runCommand(python, [...install, peer, 'pandas', 'matplotlib'], { env })
  })
  const file = join(config.home, 'paths.tsv')
  const lines = await rows<{ line: string }>(`SELECT arrayStringConcat(path.2, ' > ') AS line FROM laid_paths`)
  writeFileSync(file, lines.map(({ line }) => `${line}\t1\n`).join(''))
  const script = join(import.meta.dirname, '../programs/channel_attribution.py')
  return async () => {
    const output = await runCommand(python, [script, file], { env: { ...env, PYTHONPATH: packages } })
    return JSON.parse(output.trim().split('\n').at(-1)!) as { seconds: number; sums: Record<string, number | string>[] }
  }
}

function largestDifference(ours: Sums[], theirs: Record<string, number | string>[]): number {
  const differences = ours.flatMap((sums) => {
    const row = theirs.find(({ channel_name }) => channel_name === sums.channel) ?? {}
    const names = { first: 'first_touch', last: 'last_touch', linear: 'linear_touch' } as const
    return (['first', 'last', 'linear'] as const).map((model) =>
      Math.abs(sums[model] - Number(row[names[model]] ?? row[`${names[model]}_conversions`] ?? 0)),
    )
  })
  return Math.max(...differences, ours.length === theirs.length ? 0 : Number.POSITIVE_INFINITY)
}
