import type { Setting } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import type { FactDeps } from './facts/deps.ts'
import { markProfilesDirty } from './facts/mark-dirty.ts'
import { each, ok, pipeline } from './runner/pipeline.ts'

/** Settings that figures depend on → the warehouse's copy → recompute of the profile. */
export const settingsPipeline = ({ warehouse, producer }: Pick<FactDeps, 'warehouse' | 'producer'>) =>
  pipeline(topics.settings)
    .step(
      'rows',
      each(({ value }) => ok(rows(value))),
    )
    .sink(
      (batch) =>
        warehouse.insert(
          'profiles',
          batch.flatMap(({ value }) => value.profiles),
        ),
      (batch) =>
        warehouse.insert(
          'conversion_definitions',
          batch.flatMap(({ value }) => value.definitions),
        ),
      (batch) =>
        markProfilesDirty(
          producer,
          batch.map(({ value }) => value.profile_id),
        ),
    )

function rows({ profile_id, version, value }: Setting) {
  if ('touchline.ProfileSetting' in value) {
    return { profile_id, profiles: [{ profile_id, version, ...value['touchline.ProfileSetting'] }], definitions: [] }
  }
  const { is_deleted, ...definition } = value['touchline.DefinitionSetting']
  return {
    profile_id,
    profiles: [],
    definitions: [{ profile_id, version, ...definition, is_deleted: is_deleted ? 1 : 0 }],
  }
}
