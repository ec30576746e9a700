import type pg from 'pg'
import { defaultLookbackDays, type NewDefinition } from '../../domain/default-definitions.ts'
import type { RevenueType } from '../../schemas/messages.ts'
import { topics } from '../../schemas/topics.ts'
import type { Sql } from '../client.ts'
import { enqueue } from './outbox.ts'

export interface DefinitionValues {
  conversionKey: string
  name: string
  eventTypes: string[]
  revenueType: RevenueType
  isAttributionEligible: boolean
  lookbackWindowDays: number
  isDefault: boolean
}

export interface Definition extends DefinitionValues {
  id: string
  version: number
  createdAt: Date
  updatedAt: Date
}

const select = `
  SELECT d.id, d.conversion_key AS "conversionKey", d.name, d.revenue_type AS "revenueType",
    d.is_attribution_eligible AS "isAttributionEligible", d.lookback_window_days AS "lookbackWindowDays",
    d.is_default AS "isDefault", d.version::int AS version, d.created_at AS "createdAt", d.updated_at AS "updatedAt",
    ARRAY(SELECT event_type FROM definition_event_types t WHERE t.definition_id = d.id ORDER BY event_type)
      AS "eventTypes"
  FROM conversion_definitions d`

/** Those that reports show first come first. */
export async function listDefinitions(sql: Sql, profileId: string): Promise<Definition[]> {
  const { rows } = await sql.query<Definition>(
    `${select} WHERE d.profile_id = $1 ORDER BY d.is_default DESC, d.created_at, d.conversion_key`,
    [profileId],
  )
  return rows
}

export async function findDefinition(sql: Sql, profileId: string, id: string): Promise<Definition | undefined> {
  const { rows } = await sql.query<Definition>(`${select} WHERE d.profile_id = $1 AND d.id = $2`, [profileId, id])
  return rows[0]
}

/** One change of a profile's definitions at a time: versions, messages and the owner of an event type follow in order. */
export async function lockDefinitions(tx: pg.PoolClient, profileId: string): Promise<Definition[]> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('definitions/' || $1, 0))", [profileId])
  return listDefinitions(tx, profileId)
}

export type Written = { kind: 'written'; definition: Definition } | { kind: 'taken'; eventTypes: string[] }

/**
 * Stores a definition under its conversion key, new or changed, and tells the stream, both or neither. Event types of
 * another definition are not taken from it: the caller hears which, and rolls back.
 */
export async function writeDefinition(
  tx: pg.PoolClient,
  profileId: string,
  values: DefinitionValues,
): Promise<Written> {
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO conversion_definitions AS d (profile_id, conversion_key, name, revenue_type, is_attribution_eligible,
       lookback_window_days, is_default)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (profile_id, conversion_key) DO UPDATE
       SET name = excluded.name, revenue_type = excluded.revenue_type,
           is_attribution_eligible = excluded.is_attribution_eligible,
           lookback_window_days = excluded.lookback_window_days, is_default = excluded.is_default,
           version = d.version + 1, updated_at = now()
     RETURNING id`,
    [
      profileId,
      values.conversionKey,
      values.name,
      values.revenueType,
      values.isAttributionEligible,
      values.lookbackWindowDays,
      values.isDefault,
    ],
  )
  const { id } = rows[0]!
  await tx.query('DELETE FROM definition_event_types WHERE definition_id = $1 AND event_type <> ALL($2::text[])', [
    id,
    values.eventTypes,
  ])
  await tx.query(
    `INSERT INTO definition_event_types (profile_id, event_type, definition_id)
     SELECT $1, event_type, $2 FROM unnest($3::text[]) AS event_type ORDER BY event_type ON CONFLICT DO NOTHING`,
    [profileId, id, values.eventTypes],
  )
  const definition = (await findDefinition(tx, profileId, id))!
  const held = new Set(definition.eventTypes)
  const taken = values.eventTypes.filter((type) => !held.has(type))
  if (taken.length > 0) return { kind: 'taken', eventTypes: taken }
  await tellOf(tx, profileId, definition)
  return { kind: 'written', definition }
}

const tellOf = (tx: pg.PoolClient, profileId: string, definition: Definition) =>
  enqueue(tx, topics.settings, {
    profile_id: profileId,
    version: definition.version,
    value: {
      'touchline.DefinitionSetting': {
        definition_id: definition.id,
        conversion_key: definition.conversionKey,
        name: definition.name,
        event_types: definition.eventTypes,
        revenue_type: definition.revenueType,
        is_attribution_eligible: definition.isAttributionEligible,
        lookback_window_days: definition.lookbackWindowDays,
        is_default: definition.isDefault,
        is_deleted: false,
      },
    },
  })

/** One of those that a new profile begins with. */
export async function createDefinition(
  tx: pg.PoolClient,
  profileId: string,
  definition: NewDefinition,
): Promise<{ definitionId: string }> {
  const written = await writeDefinition(tx, profileId, {
    ...definition,
    isAttributionEligible: true,
    lookbackWindowDays: defaultLookbackDays,
    isDefault: true,
  })
  if (written.kind === 'taken') throw new Error(`Another definition counts ${written.eventTypes.join(', ')} already.`)
  return { definitionId: written.definition.id }
}
