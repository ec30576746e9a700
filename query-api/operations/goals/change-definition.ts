import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { ApiError } from '../../../http/operation.ts'
import { asProfile } from '../../../postgres/as-profile.ts'
import {
  type Definition,
  type DefinitionValues,
  lockDefinitions,
  writeDefinition,
} from '../../../postgres/stores/definitions.ts'

const mostDefinitions = 200

/**
 * Makes the change that `next` asks for, given what there is. A change of nothing is written nowhere: every write
 * derives the whole profile again.
 */
export const changeDefinition = (
  postgres: pg.Pool,
  profileId: string,
  conversionKey: string,
  next: (present: Definition | undefined) => Omit<DefinitionValues, 'conversionKey'>,
): Promise<{ definition: Definition; isNew: boolean }> =>
  asProfile(postgres, profileId, async (tx) => {
    const all = await lockDefinitions(tx, profileId)
    const present = all.find((definition) => definition.conversionKey === conversionKey)
    const wanted = next(present)
    const values = { ...wanted, conversionKey, eventTypes: [...wanted.eventTypes].sort() }
    if (present && isDeepStrictEqual(values, valuesOf(present))) return { definition: present, isNew: false }
    if (!present && all.length >= mostDefinitions) {
      throw new ApiError('invalid_state', `A profile has at most ${mostDefinitions} definitions.`, {
        reason: 'too_many_definitions',
      })
    }
    const written = await writeDefinition(tx, profileId, values)
    if (written.kind === 'written') return { definition: written.definition, isNew: !present }
    const message = `Another definition counts these event types already: ${written.eventTypes.join(', ')}.`
    throw new ApiError('invalid_state', message, { reason: 'event_type_taken', event_types: written.eventTypes })
  })

const valuesOf = ({ id, version, createdAt, updatedAt, ...values }: Definition): DefinitionValues => ({
  ...values,
  eventTypes: [...values.eventTypes].sort(),
})
