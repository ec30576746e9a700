import type { Warehouse } from '../../clickhouse/client.ts'
import type { Producer } from '../../infra/kafka/producer.ts'
import type { Sighting } from '../identity/observe.ts'

/** What the pipelines that store facts stand on. */
export interface FactDeps {
  warehouse: Warehouse
  producer: Producer
  observe: (sightings: Sighting[]) => Promise<void>
}
