import type pg from 'pg'
import type { Warehouse } from '../clickhouse/client.ts'
import { defineOperation } from '../http/operation.ts'

/** What the handlers of this folder are given beside the request. */
export interface QueryDeps {
  postgres: pg.Pool
  clickhouse: Warehouse
}

export const operation = defineOperation<QueryDeps>()
