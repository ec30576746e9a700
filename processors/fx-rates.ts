import { profilesOfRates } from '../clickhouse/queries/profiles-of-rates.ts'
import { minorRate } from '../domain/fx.ts'
import { topics } from '../schemas/topics.ts'
import { day } from './facts/day.ts'
import type { FactDeps } from './facts/deps.ts'
import { markProfilesDirty } from './facts/mark-dirty.ts'
import { isRate, plausible } from './facts/plausible.ts'
import { each, gather, ok, pipeline, reject } from './runner/pipeline.ts'

/** Exchange rates → stored by day → recompute of the profiles that convert by them. */
export const fxRatesPipeline = ({ warehouse, producer }: Pick<FactDeps, 'warehouse' | 'producer'>) =>
  pipeline(topics.fxRates)
    .step('plausible', plausible(isRate))
    .step(
      'rows',
      each(({ value: { base, quote, date, rate }, version }) => {
        const checked = minorRate(rate, base, quote)
        if (!checked.ok) return reject('invalid_message')
        return ok({ base, quote, date: day(date), minor_rate: checked.value.toString(), version: version.toString() })
      }),
    )
    .sink(
      gather(
        (row) => [row],
        (rows) => warehouse.insert('fx_rates', rows),
      ),
      gather(
        ({ base, quote }) => [`${base} ${quote}`],
        async (all) => {
          const pairs = [...new Set(all)].map((pair) => pair.split(' ') as [string, string])
          const profiles = await warehouse.run(profilesOfRates, {
            bases: pairs.map(([base]) => base),
            quotes: pairs.map(([, quote]) => quote),
          })
          await markProfilesDirty(producer)(profiles.map((row) => row.profile_id))
        },
      ),
    )
