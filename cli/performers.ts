import { Command, Option } from 'commander'
import type pg from 'pg'
import { profilesWithAds } from '../clickhouse/queries/profiles-with-ads.ts'
import { isUuid } from '../domain/ids.ts'
import { lastClosedDay, type ScoreWindow, scoreWindows } from '../domain/performers/windows.ts'
import { loadConfig } from '../infra/config.ts'
import { scoreStates } from '../postgres/stores/ad-scores.ts'
import { scoreWindow } from '../processors/performers/score-profile.ts'
import { followWarehouse } from '../services/warehouse.ts'
import { profileCalled } from './profile-called.ts'
import { progressBar } from './progress-bar.ts'
import { checked, print, withPostgres } from './with-postgres.ts'

interface Options {
  profile?: string
  window?: ScoreWindow
  json?: boolean
}

type Progress = (done: number, total: number, note: string) => void

export const command = () => new Command().description('the ranking of ads').addCommand(score())

const score = () =>
  new Command('score')
    .description('rank the ads of every profile, or of one, now; the daily rebuild goes on as before')
    .option('--profile <id>', 'only this profile', checked(isUuid, 'It is not the id of a profile.'))
    .addOption(new Option('--window <window>', 'only this window').choices([...scoreWindows]))
    .option('--json', 'print JSON')
    .action((options: Options) =>
      withPostgres(async (postgres) => {
        const { profile, json } = options
        if (profile) await profileCalled(postgres, profile)
        const began = Date.now()
        const bar = progressBar(process.stderr, 100)
        const onProgress = (done: number, total: number, note: string) => bar.update((100 * done) / total, note)
        const done = await scoreNow(postgres, loadConfig().clickhouseUrl, { ...options, onProgress }).finally(bar.end)
        print({ ...done, took_ms: Date.now() - began }, { json })
      }),
    )

/** Ranks now, whatever is due: every profile that has ads, or one. */
export async function scoreNow(
  postgres: pg.Pool,
  clickhouseUrl: string,
  { profile, window, onProgress }: Pick<Options, 'profile' | 'window'> & { onProgress?: Progress | undefined },
): Promise<{ profiles: number; rankings: number; ads: number }> {
  const warehouse = await followWarehouse(clickhouseUrl, postgres)
  try {
    const advertisers = await warehouse.run(profilesWithAds, {})
    const asked = advertisers.find(({ profileId }) => profileId === profile)
    const profiles = await scoreStates(postgres, profile ? [asked ?? { profileId: profile, ads: 0 }] : advertisers)
    const windows = window ? [window] : scoreWindows
    const rankings = profiles.flatMap((one) => windows.map((window) => ({ one, window })))
    let ads = 0
    for (const [done, { one, window }] of rankings.entries()) {
      onProgress?.(done, rankings.length, `${one.id} ${window}`)
      ads += await scoreWindow({ postgres, warehouse }, one, window, lastClosedDay(Date.now(), one.timezone))
    }
    onProgress?.(rankings.length, rankings.length, `${profiles.length} profiles`)
    return { profiles: profiles.length, rankings: rankings.length, ads }
  } finally {
    await warehouse.close()
  }
}
