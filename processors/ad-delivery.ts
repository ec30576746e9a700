import { LRUCache } from 'lru-cache'
import { topics } from '../schemas/topics.ts'
import { deliveryRow, entityRows } from './facts/delivery-rows.ts'
import type { FactDeps } from './facts/deps.ts'
import { markProfilesDirty } from './facts/mark-dirty.ts'
import { isDelivery, plausible } from './facts/plausible.ts'
import { each, gather, ok, pipeline } from './runner/pipeline.ts'

type Entity = ReturnType<typeof entityRows>[number]

/** Ad delivery → its days and the entities it describes → recompute where an entity appeared, was renamed or moved. */
export function adDeliveryPipeline({ warehouse, producer }: Pick<FactDeps, 'warehouse' | 'producer'>) {
  // What this process has already told attribution about; forgetting costs a recompute, nothing else.
  const told = new LRUCache<string, string>({ max: 200_000 })
  const look = (entity: Entity) => `${entity.name}\n${entity.campaign_id}\n${entity.ad_set_id}`
  return pipeline(topics.adDelivery)
    .step('plausible', plausible(isDelivery))
    .step(
      'facts',
      each(({ value, version }) => ok({ delivery: deliveryRow(value, version), entities: entityRows(value, version) })),
    )
    .sink(
      gather(
        (value) => [value.delivery],
        (rows) => warehouse.insert('ad_delivery', rows),
      ),
      gather(
        (value) => value.entities,
        (rows) => warehouse.insert('ad_entities', rows),
      ),
      gather(
        (value) => value.entities,
        async (entities) => {
          const changed = entities.filter((entity) => told.get(entity.entity_id) !== look(entity))
          await markProfilesDirty(producer)(changed.map((entity) => entity.profile_id))
          for (const entity of changed) told.set(entity.entity_id, look(entity))
        },
      ),
    )
}
