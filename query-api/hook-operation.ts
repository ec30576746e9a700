import type pg from 'pg'
import type { HookSeals } from '../domain/hooks/secrets.ts'
import { defineOperation } from '../http/operation.ts'

/** What the management of notification addresses stands on. */
export interface HookAdminDeps {
  postgres: pg.Pool
  hookSeals: HookSeals
  /** Where providers reach this service. */
  baseUrl: string
}

export const operation = defineOperation<HookAdminDeps>()
