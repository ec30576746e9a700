import { setTimeout as sleep } from 'node:timers/promises'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import fc from 'fast-check'
import pLimit from 'p-limit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { vaultKeys } from '../../domain/sealing.ts'
import { connectProducer } from '../../infra/kafka/producer.ts'
import { connectPostgres } from '../../postgres/client.ts'
import { createProfile } from '../../postgres/stores/tenancy.ts'
import { postgresVault } from '../../postgres/stores/vault.ts'
import { brokenSums, figuresOf } from './convergence/figures.ts'
import { disturbed, history, type Op } from './convergence/history.ts'
import { type TellDeps, tell } from './convergence/tell.ts'
import { type OwnStack, ownStack } from './own-stack.ts'

const seed = 20_261_115
const histories = 200

let stack: OwnStack
beforeAll(async () => {
  stack = await ownStack()
}, 180_000)
afterAll(() => stack?.remove(), 60_000)

/** A repeatable stream of numbers between 0 and 1. */
function numbers(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

it('ends in the same customers, flags, credit and reports whatever the order, repeats, kills and replays', async () => {
  const postgres = connectPostgres(stack.endpoints.database_url)
  const secret = Buffer.from(stack.env.TOUCHLINE_SECRET!, 'base64')
  const deps: TellDeps = {
    producer: connectProducer({ brokers: stack.endpoints.kafka_brokers.split(','), timeoutMs: 60_000 }),
    vault: postgresVault(postgres, vaultKeys(secret), { timeoutMs: 60_000 }),
    postgres,
    origin: Math.floor((Date.now() - 60 * 86_400_000) / 86_400_000) * 86_400_000,
  }
  const samples = fc.sample(history, { numRuns: histories, seed })
  const random = numbers(seed)

  /** Profiles of their own for every history, told in an order of their own. */
  const live = async (arrange: (ops: Op[]) => Op[]) => {
    const limit = pLimit(16)
    return Promise.all(
      samples.map((ops) =>
        limit(async () => {
          const { profileId } = await createProfile(postgres, { name: 'history' })
          for (const op of arrange(ops)) await tell(deps, profileId, op)
          return profileId
        }),
      ),
    )
  }

  const inOrder = await live((ops) => ops)
  const shuffled = await live((ops) => disturbed(ops, random))
  let isKilling = true
  const killing = (async () => {
    for (let i = 0; isKilling && i < 4; i++) {
      await sleep(500 + random() * 3000)
      stack.kill('processors')
      await stack.isBack('processors')
    }
  })()
  const killed = await live((ops) => disturbed(ops, random))
  await killing
  isKilling = false
  await stack.touchline('drain', '--timeout', '400', '--json')

  const generation = async () => {
    const { rows } = await postgres.query<{ live_generation: number }>('SELECT live_generation FROM warehouse')
    return `touchline_g${rows[0]!.live_generation}`
  }
  const snapshot = async (profiles: string[]) => {
    const client = createClient({
      url: stack.endpoints.clickhouse_url,
      database: await generation(),
      request_timeout: 120_000,
      log: { level: ClickHouseLogLevel.OFF },
    })
    try {
      expect(await brokenSums(client)).toBe(0)
      return await figuresOf(client, profiles)
    } finally {
      await client.close()
    }
  }
  const everyone = [...inOrder, ...shuffled, ...killed]
  const before = await snapshot(everyone)
  for (const [index, ops] of samples.entries()) {
    const expected = before.get(inOrder[index]!)
    const told = JSON.stringify(ops)
    expect(before.get(shuffled[index]!), `shuffled history ${index} of seed ${seed}: ${told}`).toEqual(expected)
    expect(before.get(killed[index]!), `history ${index} of seed ${seed} under kills: ${told}`).toEqual(expected)
  }

  await stack.touchline('replay', '--yes', '--json')
  const after = await snapshot(everyone)
  for (const profile of everyone) expect(after.get(profile)).toEqual(before.get(profile))

  await deps.producer.close()
  await postgres.end()
}, 1_200_000)
