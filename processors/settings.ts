import type { Setting } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { markProfilesDirty } from './facts/mark-dirty.ts'
import { isSetting, plausible } from './facts/plausible.ts'
import { each, gather, ok, pipeline } from './runner/pipeline.ts'

/** Settings that figures depend on → the warehouse's copy → recompute of the profile. */
export const settingsPipeline = ({ warehouse, producer }: Pick<FactDeps, 'warehouse' | 'producer'>) =>
  pipeline(topics.settings)
    .step('plausible', plausible(isSetting))
    .step(
      'rows',
      each(({ value }) => ok(rows(value))),
    )
    .sink(
      gather(
        (value) => value.profiles,
        (rows) => warehouse.insert('profiles', rows),
      ),
      gather(
        (value) => value.definitions,
        (rows) => warehouse.insert('conversion_definitions', rows),
      ),
      gather(
        (value) => value.stages,
        (rows) => warehouse.insert('pipeline_stages', rows),
      ),
      gather((value) => [value.profile_id], markProfilesDirty(producer)),
    )

function rows({ profile_id, version, value }: Setting) {
  const none = { profile_id, profiles: [], definitions: [], stages: [] }
  if ('touchline.ProfileSetting' in value) {
    return { ...none, profiles: [{ profile_id, version, ...value['touchline.ProfileSetting'] }] }
  }
  if ('touchline.StageSetting' in value) {
    return { ...none, stages: [{ profile_id, version, ...value['touchline.StageSetting'] }] }
  }
  const { is_deleted, ...definition } = value['touchline.DefinitionSetting']
  return { ...none, definitions: [{ profile_id, version, ...definition, is_deleted: is_deleted ? 1 : 0 }] }
}
