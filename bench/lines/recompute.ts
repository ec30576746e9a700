import {
  type DirtySubjectVersion,
  recomputeProfiles,
  recomputeSubjects,
} from '../../processors/attribution/recompute.ts'
import { type Line, median, ratioAtMost, secondsOf, valueAtMost } from '../line.ts'
import { makeHits, makePaths } from '../paths.ts'
import type { Database } from '../stage.ts'

/** From touches and outcomes to credit and reports: of everybody, and of those who are dirty. */
export const recompute: Line = {
  name: 'recompute',
  figures: [
    {
      name: 'full, 10 M touches, 500 k conversions',
      unit: 's',
      beside: 'bare groupArray … GROUP BY',
      target: ratioAtMost(8),
    },
    { name: 'ten times the touches', unit: 's', beside: 'a tenth of them', target: ratioAtMost(12) },
    { name: 'memory of the engine, full', unit: 'MB', beside: 'before it', target: valueAtMost(1536) },
    { name: '1,000 random dirty customers of a million', unit: 's', beside: 'one of them', target: ratioAtMost(8) },
  ],
  async open(stage) {
    const scale = stage.isQuick ? 0.1 : 1
    const touches = [20]
    const full = await stage.database()
    const large = await makePaths(full, { customers: 500_000 * scale, touches })
    const tenth = await stage.database()
    const small = await makePaths(tenth, { customers: 50_000 * scale, touches })
    const many = await stage.database()
    const people = await makePaths(many, { customers: 1_000_000 * scale, touches: [1, 1, 2, 3, 3, 4, 4, 4, 5, 6] })
    await makeHits(many)
    await recomputeAll(many, people)

    return {
      async measure() {
        await forget(tenth)
        const little = await secondsOf(() => recomputeAll(tenth, small))
        await forget(full)
        const before = await idleMemory(stage.memory)
        const whole = await secondsOf(() => recomputeAll(full, large))
        const peak = stage.memory.peakMb('clickhouse')
        const bare = await secondsOf(() => full.rows(gatherTouches))
        const one = await dirtySeconds(many, 1)
        const thousand = await dirtySeconds(many, 1000)
        return [
          { value: whole, limit: bare },
          { value: whole, limit: little },
          { value: peak, limit: before },
          { value: thousand, limit: one },
        ]
      },
      async close() {
        for (const database of [full, tenth, many]) await database.close()
      },
    }
  },
}

const recomputeAll = ({ warehouse }: Database, profile_id: string) =>
  recomputeProfiles(warehouse, [{ profile_id, version: 1n }])

/** The least that any attribution must do with touches: bring each customer's together. */
const gatherTouches = `
  SELECT sum(length(path)) FROM (
    SELECT profile_id, subject_id, groupArray((touch_time, touch_id, channel, source, is_direct, ad_ref)) AS path
    FROM touches GROUP BY profile_id, subject_id)`

/** The credit that a recompute left behind: the next one begins as the first did. */
async function forget({ run }: Database): Promise<void> {
  const inHand = ['dirty', 'people', 'subjects', 'ads', 'conversions', 'valued', 'credits']
  const tables = ['credits', 'report_credits', 'report_days', ...inHand.map((name) => `recompute_${name}`)]
  for (const table of tables) await run(`TRUNCATE TABLE ${table}`)
}

async function idleMemory(memory: { peakMb(name: 'clickhouse'): number; forget(name: 'clickhouse'): void }) {
  memory.forget('clickhouse')
  await new Promise((resolve) => setTimeout(resolve, 1000))
  return memory.peakMb('clickhouse')
}

let version = 2n

async function dirtySeconds({ warehouse, rows }: Database, count: number): Promise<number> {
  const times: number[] = []
  while (times.length < 3) {
    const subjects = await rows<{ profile_id: string; subject_id: string }>(
      `SELECT DISTINCT profile_id, subject_id FROM touches ORDER BY cityHash64(subject_id, ${version}) LIMIT ${count}`,
    )
    version++
    const dirty: DirtySubjectVersion[] = subjects.map((subject) => ({ ...subject, version }))
    times.push(await secondsOf(() => recomputeSubjects(warehouse, dirty)))
  }
  return median(times)
}
