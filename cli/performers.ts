import { Command, Option } from 'commander'
import { profilesWithAds } from '../clickhouse/queries/profiles-with-ads.ts'
import { isUuid } from '../domain/ids.ts'
import { lastClosedDay, type ScoreWindow, scoreWindows } from '../domain/performers/windows.ts'
import { loadConfig } from '../infra/config.ts'
import { scoreStates } from '../postgres/stores/ad-scores.ts'
import { findProfile } from '../postgres/stores/tenancy.ts'
import { scoreWindow } from '../processors/performers/score-profile.ts'
import { followWarehouse } from '../services/warehouse.ts'
import { progressBar } from './progress-bar.ts'
import { checked, print, UsageError, withPostgres } from './with-postgres.ts'

interface Options {
  profile?: string
  window?: ScoreWindow
  json?: boolean
}

export const command = () => new Command().description('the ranking of ads').addCommand(score())

const score = () =>
  new Command('score')
    .description('rank the ads of every profile, or of one, now; the daily rebuild goes on as before')
    .option('--profile <id>', 'only this profile', checked(isUuid, 'It is not the id of a profile.'))
    .addOption(new Option('--window <window>', 'only this window').choices([...scoreWindows]))
    .option('--json', 'print JSON')
    .action((options: Options, self: Command) =>
      withPostgres(self, async (postgres) => {
        const { profile, json } = options
        if (profile && !(await findProfile(postgres, profile))) {
          throw new UsageError(`there is no profile ${profile}: "touchline profiles list" shows them.`)
        }
        const began = Date.now()
        const warehouse = await followWarehouse(loadConfig().clickhouseUrl, postgres)
        try {
          const asked = profile ? [profile] : (await warehouse.run(profilesWithAds, {})).map((row) => row.profile_id)
          const profiles = await scoreStates(postgres, asked)
          const windows = options.window ? [options.window] : scoreWindows
          const bar = progressBar(process.stderr, profiles.length * windows.length)
          let [done, ads] = [0, 0]
          for (const one of profiles) {
            const throughDay = lastClosedDay(Date.now(), one.timezone)
            for (const window of windows) {
              bar.update(done, `${one.id} ${window}`)
              ads += await scoreWindow({ postgres, warehouse }, one, window, throughDay)
              done++
            }
          }
          bar.update(done, `${profiles.length} profiles`)
          bar.end()
          print({ profiles: profiles.length, rankings: done, ads, took_ms: Date.now() - began }, { json })
        } finally {
          await warehouse.close()
        }
      }),
    )
