import { closedDeals, uncounted } from '../../domain/pipeline-stages.ts'
import { sqlList } from '../sql-list.ts'

interface InForce {
  outcomes: string
  stages: string
  /** Besides `event_type`; all of them unless said. */
  columns?: readonly string[]
}

/** Whether an outcome is a deal whose stage decides what it counts as: one that is closed counts as what it became. */
export const isStaged = (row = '') => `(${row}stage_id != '' AND ${row}event_type NOT IN (${sqlList(closedDeals)}))`

const deciding = ['profile_id', 'event_type', 'provider', 'pipeline', 'stage_id']

/**
 * Outcomes as they count: a deal in a stage has the event type that its stage is mapped to, and none, '', as long as
 * that is undecided or ignored. Naming the few columns that are needed makes it cheaper to plan.
 */
export const outcomesInForce = ({ outcomes, stages, columns }: InForce) => `
      SELECT ${columns?.map((name) => `f.${name} AS ${name}`).join(', ') ?? 'f.* EXCEPT (event_type)'},
        if(${isStaged('f.')},
          if(m.event_key IN (${sqlList(uncounted)}), '', m.event_key), f.event_type) AS event_type
      FROM (
        SELECT ${columns ? [...new Set([...columns, ...deciding])].join(', ') : '*'} FROM outcomes FINAL WHERE ${outcomes}
      ) AS f
      LEFT JOIN (
        SELECT profile_id, provider, pipeline, stage_id, event_key FROM pipeline_stages FINAL WHERE ${stages}
      ) AS m ON m.profile_id = f.profile_id AND m.provider = f.provider AND m.pipeline = f.pipeline AND m.stage_id = f.stage_id`
