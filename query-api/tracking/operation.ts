import { defineOperation } from '../../http/operation.ts'
import type { DomainRecords } from '../../infra/domain-records.ts'
import type { Admin } from '../../infra/kafka/admin.ts'
import type { Outbound } from '../../infra/outbound.ts'
import type { QueryDeps } from '../operation.ts'

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
  kafka: Pick<Admin, 'lag'>
}

export const operation = defineOperation<TrackingDeps>()
