import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import type { Warehouse } from '../clickhouse/client.ts'
import { standingEntities } from '../clickhouse/queries/standing-entities.ts'
import { inParts } from '../clickhouse/query.ts'
import { topics } from '../schemas/topics.ts'
import { deliveryRow, entityRows } from './facts/delivery-rows.ts'
import type { FactDeps } from './facts/deps.ts'
import { markProfilesDirty } from './facts/mark-dirty.ts'
import { isDelivery, plausible } from './facts/plausible.ts'
import { each, gather, ok, pipeline } from './runner/pipeline.ts'

type Entity = ReturnType<typeof entityRows>[number]

/** Ad delivery → its days and the entities it describes → recompute where an entity appeared, was renamed or moved. */
export function adDeliveryPipeline({ warehouse, producer }: Pick<FactDeps, 'warehouse' | 'producer'>) {
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
      gather((value) => value.entities, storeEntities(warehouse, markProfilesDirty(producer))),
    )
}

type Standing = z.infer<typeof standingEntities.row>

/**
 * An earlier day may be told later and describes nothing: attribution hears of what stands, not of what was sent. Another
 * process may have stored what stood until now.
 */
function storeEntities(warehouse: Warehouse, tell: (profiles: string[]) => Promise<void>) {
  // What this process has already told attribution about; forgetting costs a recompute, nothing else.
  const told = new LRUCache<string, string>({ max: 200_000 })
  const look = (entity: Standing) => `${entity.name}\n${entity.campaign_id}\n${entity.ad_set_id}`
  return async (entities: Entity[]) => {
    const before = await standing(warehouse, entities)
    const after = new Map(before)
    for (const entity of entities) {
      const other = after.get(entity.entity_id)
      if (!other || BigInt(entity.version) >= BigInt(other.version)) after.set(entity.entity_id, entity)
    }
    const changed = [...after].filter(([id, entity]) => {
      const known = before.get(id)
      return told.get(id) !== look(entity) || (known && look(known) !== look(entity))
    })
    for (const [id] of changed) told.delete(id)
    await warehouse.insert('ad_entities', entities)
    await tell(changed.map(([, entity]) => entity.profile_id))
    for (const [id, entity] of changed) told.set(id, look(entity))
  }
}

async function standing(warehouse: Warehouse, entities: Entity[]): Promise<Map<string, Standing>> {
  const profileOf = new Map(entities.map(({ entity_id, profile_id }) => [entity_id, profile_id]))
  const parts = [...inParts([...profileOf])].map((some) =>
    warehouse.run(standingEntities, {
      profiles: [...new Set(some.map(([, profile]) => profile))],
      entities: some.map(([entity]) => entity),
    }),
  )
  return new Map((await Promise.all(parts)).flat().map((entity) => [entity.entity_id, entity]))
}
