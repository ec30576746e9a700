import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transaction } from '../../../postgres/client.ts'
import {
  findStage,
  listStages,
  mapStage,
  mostStages,
  type SeenStage,
  stageStore,
} from '../../../postgres/stores/pipeline-stages.ts'
import { ownCodec } from '../../../schemas/codec.ts'
import { topics } from '../../../schemas/topics.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

// A database of its own: what the outbox holds must not be on its way already.
let database: FreshDatabase
let pool: pg.Pool
beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
})
afterAll(() => database.drop())

const seen = (profileId: string, name: string, parts: Partial<SeenStage> = {}): SeenStage => ({
  profileId,
  provider: 'hubspot',
  pipeline: '',
  stageId: '7',
  name,
  namedAt: 1_000,
  ...parts,
})
const stages = async (profile: string) =>
  (await listStages(pool, profile)).map(({ name, eventKey, source, version }) => [name, eventKey, source, version])
/** What the stream is told, in order. */
const told = async (profile: string) => {
  const { rows } = await pool.query<{ value: Buffer }>('SELECT value FROM outbox WHERE key = $1 ORDER BY id', [profile])
  return rows.map(({ value }) => {
    const message = ownCodec.decode(topics.settings, value)
    if (message.kind === 'undecodable') throw new Error(message.why)
    const setting = message.value.value
    return 'touchline.StageSetting' in setting
      ? [setting['touchline.StageSetting'].event_key, message.value.version]
      : undefined
  })
}

describe('stages of pipelines', () => {
  it('are recorded when a deal is first seen in them, with what their name suggests', async () => {
    const profile = await createProfile(pool)
    const { observe } = stageStore(pool)
    await observe([seen(profile, 'Agendado'), seen(profile, 'Etapa 2', { stageId: '8' }), seen(profile, 'Agendado')])
    await observe([seen(profile, 'Agendado')])
    expect(await stages(profile)).toEqual([
      ['Agendado', 'appointment_booked', 'suggested', 1],
      ['Etapa 2', 'unmapped', 'engine_default', 1],
    ])
    expect(await told(profile)).toEqual([
      ['appointment_booked', 1],
      ['unmapped', 1],
    ])
  })

  it('of a profile that Postgres does not know are left out, and hold up no others', async () => {
    const [profile, unknown] = [await createProfile(pool), randomUUID()]
    await stageStore(pool).observe([seen(unknown, 'Agendado'), seen(profile, 'Agendado')])
    expect(await stages(profile)).toHaveLength(1)
    expect([await stages(unknown), await told(unknown)]).toEqual([[], []])
  })

  it('tell the stream nothing when only time goes by', async () => {
    const profile = await createProfile(pool)
    const { observe } = stageStore(pool)
    await observe([seen(profile, 'Agendado')])
    await observe([seen(profile, 'Agendado', { namedAt: 2_000 })])
    expect(await told(profile)).toHaveLength(1)
    await stageStore(pool).observe([seen(profile, 'Propuesta', { namedAt: 1_500 })])
    expect(await stages(profile)).toEqual([['Agendado', 'appointment_booked', 'suggested', 1]])
  })

  it('follow a new name, unless a user has decided', async () => {
    const profile = await createProfile(pool)
    const { observe } = stageStore(pool)
    await observe([seen(profile, 'Agendado')])
    await observe([seen(profile, 'Propuesta', { namedAt: 2_000 })])
    expect(await stages(profile)).toEqual([['Propuesta', 'quote_sent', 'suggested', 2]])
    const [stage] = await listStages(pool, profile)
    const map = (eventKey: string) => transaction(pool, (tx) => mapStage(tx, stage!, eventKey))
    expect(await map('ignored')).toMatchObject({ eventKey: 'ignored', source: 'user' })
    await map('ignored')
    await observe([seen(profile, 'Agendado', { namedAt: 3_000 })])
    expect(await stages(profile)).toEqual([['Agendado', 'ignored', 'user', 4]])
    expect(await told(profile)).toEqual([
      ['appointment_booked', 1],
      ['quote_sent', 2],
      ['ignored', 3],
      ['ignored', 4],
    ])
  })

  it('are recorded once by several processes at a time', async () => {
    const profile = await createProfile(pool)
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => stageStore(pool).observe([seen(profile, 'Agendado', { namedAt: at })])),
    )
    expect(await stages(profile)).toEqual([['Agendado', 'appointment_booked', 'suggested', 1]])
    expect(await told(profile)).toHaveLength(1)
  })

  it('are recorded up to a number that no CRM has', async () => {
    const profile = await createProfile(pool)
    const { observe } = stageStore(pool)
    await pool.query(
      `INSERT INTO pipeline_stages (profile_id, provider, pipeline, stage_id, name, named_at, event_key, source)
       SELECT $1, 'hubspot', '', 'deal ' || n, '', now(), 'unmapped', 'engine_default' FROM generate_series(2, $2::int) AS n`,
      [profile, mostStages],
    )
    await observe([seen(profile, 'Agendado'), seen(profile, 'Propuesta', { stageId: '8' })])
    await observe([seen(profile, 'Propuesta', { stageId: '9' }), seen(profile, 'Cita', { namedAt: 2_000 })])
    const kept = (await listStages(pool, profile)).filter(({ name }) => name !== '')
    expect(kept).toMatchObject([{ stageId: '7', name: 'Cita', version: 2 }])
  })

  it('can be decided before the first deal is seen, and are named by it', async () => {
    const profile = await createProfile(pool)
    const { observe } = stageStore(pool)
    const { name: _, namedAt: __, ...ref } = seen(profile, '')
    await transaction(pool, (tx) => mapStage(tx, ref, 'quote_sent'))
    expect(await stages(profile)).toEqual([['7', 'quote_sent', 'user', 1]])
    await observe([seen(profile, 'Agendado')])
    expect(await stages(profile)).toEqual([['Agendado', 'quote_sent', 'user', 2]])
  })

  it('of another profile are not found', async () => {
    const [mine, theirs] = [await createProfile(pool), await createProfile(pool)]
    await stageStore(pool).observe([seen(theirs, 'Agendado')])
    const [stage] = await listStages(pool, theirs)
    expect(await findStage(pool, mine, stage!.id)).toBeUndefined()
    expect(await findStage(pool, theirs, stage!.id)).toEqual(stage)
    expect(await listStages(pool, theirs, 'pipedrive')).toEqual([])
  })
})
