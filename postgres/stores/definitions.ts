import type pg from 'pg'
import type { NewDefinition } from '../../domain/default-definitions.ts'
import { topics } from '../../schemas/topics.ts'
import { enqueue } from './outbox.ts'

const defaultLookbackDays = 30

/** Stores a conversion definition and tells the stream, both or neither. */
export async function createDefinition(
  tx: pg.PoolClient,
  profileId: string,
  definition: NewDefinition,
): Promise<{ definitionId: string }> {
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO conversion_definitions (profile_id, conversion_key, name, revenue_type, lookback_window_days, is_default)
     VALUES ($1, $2, $3, $4, $5, true) RETURNING id`,
    [profileId, definition.conversionKey, definition.name, definition.revenueType, defaultLookbackDays],
  )
  const definitionId = rows[0]!.id
  await tx.query(
    `INSERT INTO definition_event_types (profile_id, event_type, definition_id)
     SELECT $1, event_type, $2 FROM unnest($3::text[]) AS event_type`,
    [profileId, definitionId, definition.eventTypes],
  )
  await enqueue(tx, topics.settings, {
    profile_id: profileId,
    version: 1,
    value: {
      'touchline.DefinitionSetting': {
        definition_id: definitionId,
        conversion_key: definition.conversionKey,
        name: definition.name,
        event_types: definition.eventTypes,
        revenue_type: definition.revenueType,
        is_attribution_eligible: true,
        lookback_window_days: defaultLookbackDays,
        is_default: true,
        is_deleted: false,
      },
    },
  })
  return { definitionId }
}
