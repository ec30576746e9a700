import Table from 'cli-table3'
import { Command, InvalidArgumentError } from 'commander'
import { isUuid } from '../domain/ids.ts'
import { wholeWeight } from '../domain/models.ts'
import { loadConfig } from '../infra/config.ts'
import type { MovedCredit } from '../processors/replay/compare.ts'
import type { ReplayDeps } from '../processors/replay/deps.ts'
import {
  abandonReplay,
  dropOldGenerations,
  type ReplayRequest,
  type ReplayResult,
  runReplay,
} from '../processors/replay/replay.ts'
import { confirm } from './confirm.ts'
import { profileCalled } from './profile-called.ts'
import { showReplay } from './replay-progress.ts'
import { checked, print, UsageError } from './with-postgres.ts'
import { withReplay } from './with-replay.ts'

interface Options {
  profile?: string
  from?: Date
  dryRun?: boolean
  keep?: boolean
  abandon?: boolean
  dropOld?: boolean
  yes?: boolean
  json?: boolean
}

export const command = () =>
  new Command()
    .description(
      'derive everything again from the topics: all of it into a fresh generation that then becomes the live one, ' +
        'or with --profile or --from a part of it in place',
    )
    .option('--profile <id>', 'only this profile', checked(isUuid, 'It is not the id of a profile.'))
    .option('--from <date>', 'only messages taken in since then, 2026-11-01 or 2026-11-01T10:00:00Z', date)
    .option('--dry-run', 'change nothing, print how credit would move')
    .option('--keep', 'with --dry-run: keep the generation it filled')
    .option('--abandon', 'give up a replay that was interrupted')
    .option('--drop-old', 'drop the generations that earlier replays left')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action((options: Options, self: Command) => withReplay(self, (deps) => act(deps, options)))

async function act(deps: ReplayDeps, options: Options): Promise<void> {
  if (options.abandon) {
    const { id } = await abandonReplay(deps)
    return print({ abandoned: id }, options)
  }
  if (options.dropOld) {
    const dropped = await dropOldGenerations(deps)
    return print({ dropped: options.json ? dropped : dropped.join(', ') || 'none' }, options)
  }
  const request = await requested(deps, options)
  if (!options.yes && !options.json && process.stdin.isTTY && !(await isAgreed(request))) return
  const began = Date.now()
  const shown = showReplay(process.stderr, { isQuiet: options.json === true })
  const result = await runReplay({ ...deps, onProgress: shown.update }, request).finally(shown.end)
  answer(result, Date.now() - began, options)
}

async function requested({ postgres }: ReplayDeps, options: Options): Promise<ReplayRequest> {
  const { profile = null, from = null, dryRun: isDryRun = false, keep: isKept } = options
  if (profile) await profileCalled(postgres, profile)
  if (isDryRun && from) throw new UsageError('a dry run compares the whole history: leave --from out.')
  if (isKept && !isDryRun) throw new UsageError('--keep belongs to --dry-run.')
  return { profileId: profile, from, isDryRun, isKept }
}

async function isAgreed({ profileId, from, isDryRun }: ReplayRequest): Promise<boolean> {
  const { clickhouseUrl } = loadConfig()
  const what = isDryRun
    ? 'fill a generation to compare with'
    : profileId || from
      ? 'rewrite the live generation'
      : 'fill a fresh generation, make it the live one, and drop those of earlier replays'
  return confirm(`This will ${what} in ${new URL(clickhouseUrl).host}. Go on?`)
}

function answer({ replay, progress, moved }: ReplayResult, tookMs: number, options: Options): void {
  const summary = {
    replay_id: replay.id,
    kind: replay.kind,
    dry_run: replay.isDryRun,
    generation: replay.generation,
    messages: progress.messagesDone ?? 0,
    took_ms: tookMs,
  }
  if (options.json) print({ ...summary, ...(moved && { moved: moved.map(movedRow) }) }, options)
  else {
    print(summary, options)
    if (moved) console.log(moved.length > 0 ? movedTable(moved) : 'no credit would move')
  }
}

/** Minor units; what a division leaves over is cut, the count of a dry run is exact. */
const minor = (value: bigint) => (value / BigInt(wholeWeight)).toString()

const movedRow = ({ profileId, campaignId, campaign, model, before, after }: MovedCredit) => ({
  profile_id: profileId,
  campaign_id: campaignId,
  campaign,
  model,
  outcome_count: { before: before.count, after: after.count },
  outcome_value_minor: { before: minor(before.value), after: minor(after.value) },
})

function movedTable(moved: MovedCredit[]): string {
  const table = new Table({
    head: ['campaign', 'model', 'outcomes', '', 'value (minor units)', ''],
    style: { head: [] },
  })
  for (const { campaign, model, before, after } of moved) {
    table.push([campaign, model, before.count, after.count, minor(before.value), minor(after.value)])
  }
  return table.toString()
}

function date(text: string): Date {
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const parsed = new Date(text)
  if (!isDate || Number.isNaN(parsed.getTime())) {
    throw new InvalidArgumentError('Use a date such as 2026-11-01 or 2026-11-01T10:00:00Z.')
  }
  if (parsed.getTime() > Date.now()) throw new InvalidArgumentError('It is in the future.')
  return parsed
}
