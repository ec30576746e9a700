import { defineOperation } from '../http/operation.ts'
import type { DomainRecords } from '../infra/domain-records.ts'
import type { RecentLag } from '../infra/kafka/recent-lag.ts'
import type { Outbound } from '../infra/outbound.ts'
import type { QueryDeps } from './operation.ts'

export interface TrackerFiles {
  script: string
  loader: string
  storePixel: string
  hash: string
  integrity: string
}

/** What the handlers of tracking routes are given beside the request. */
export interface TrackingDeps extends QueryDeps {
  tracker: TrackerFiles
  /** Where pages fetch the tracker and send their hits, unless a profile has a domain of its own. */
  trackerUrl: string
  outbound: Outbound
  domainRecords: DomainRecords
  lag: RecentLag
}

export const operation = defineOperation<TrackingDeps>()
