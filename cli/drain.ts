import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { ConfigError, loadConfig } from '../infra/config.ts'
import { codeOf } from '../infra/error-code.ts'
import { type Admin, connectAdmin, type Offsets } from '../infra/kafka/admin.ts'
import { connectPostgres } from '../postgres/client.ts'
import { countIdentityChanges, newestIdentityChange } from '../postgres/stores/identity-changes.ts'
import { countOutbox, newestOutboxId } from '../postgres/stores/outbox.ts'
import { groupOf, rawTopics, topics } from '../schemas/topics.ts'
import { isUnmigrated, unmigrated } from './failure.ts'

export interface DrainOptions {
  timeoutMs?: number | undefined
  /** Told what is still waited for, whenever it changes. */
  onProgress?: ((stage: string, remaining: number) => void) | undefined
}

/** Everything sent so far was not processed in time. */
export class DrainTimeout extends Error {}

const rawTopicNames = rawTopics.map(({ name }) => name)

/**
 * Returns when everything sent so far has been processed. Each stage looks at what it waits for only after the one
 * before it is through, in the direction of the data, so that it also returns while new traffic comes in.
 */
export async function drain(
  config: { kafkaBrokers: string[]; databaseUrl: string },
  { timeoutMs = 120_000, onProgress }: DrainOptions = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  const admin = connectAdmin({ brokers: config.kafkaBrokers })
  const postgres = connectPostgres(config.databaseUrl, { max: 1 })

  /** An engine that restarts meanwhile is waited for. */
  const patiently = async <T>(look: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await look()
      } catch (error) {
        if (Date.now() >= deadline || isUnmigrated(error)) throw error
        await sleep(300)
      }
    }
  }
  const waitFor = async (stage: string, remaining: () => Promise<number>) => {
    for (let delayMs = 20; ; delayMs = Math.min(500, delayMs * 1.5)) {
      const left = await patiently(remaining)
      if (left === 0) return
      onProgress?.(stage, left)
      if (Date.now() >= deadline) throw new DrainTimeout(`${left} of ${stage} were not processed in time`)
      await sleep(delayMs)
    }
  }
  const waitForTopics = async (names: string[]) => {
    const ends = await patiently(async () => {
      const existing = await admin.topicNames()
      return admin.endOffsets(names.filter((name) => existing.includes(name)))
    })
    for (const name of ends.keys()) await waitFor(`messages of ${name}`, () => behind(admin, name, ends))
  }
  const waitForOutbox = async (): Promise<boolean> => {
    const newestRow = await patiently(() => newestOutboxId(postgres))
    if (newestRow === undefined) return false
    await waitFor('rows of the outbox', () => countOutbox(postgres, newestRow))
    return true
  }

  try {
    await waitForOutbox()
    await waitForTopics(rawTopicNames)
    // A deal in a stage that was never seen makes a setting of it.
    if (await waitForOutbox()) await waitForTopics([topics.settings.name])
    const newestChange = await patiently(() => newestIdentityChange(postgres))
    if (newestChange !== undefined) {
      await waitFor('identity changes', () => countIdentityChanges(postgres, newestChange))
    }
    await waitForTopics([topics.dirtyCustomers.name])
  } finally {
    await Promise.allSettled([admin.close(), postgres.end()])
  }
}

/** Messages before the given ends that the topic's processor has not committed. */
async function behind(admin: Admin, topic: string, ends: Offsets): Promise<number> {
  const lag = await admin.lag([{ group: groupOf(topic), topic }])
  return lag.reduce((sum, { partition, committed }) => {
    const end = ends.get(topic)!.get(partition) ?? 0n
    return sum + (end > committed ? Number(end - committed) : 0)
  }, 0)
}

export const command = () =>
  new Command()
    .description('wait until everything sent so far has been processed')
    .option('--timeout <seconds>', 'give up after this many seconds', positive, 120)
    .option('--json', 'print JSON')
    .action(async ({ timeout: seconds, json }: { timeout: number; json?: boolean }) => {
      const began = Date.now()
      const isTerminal = process.stderr.isTTY && !json
      const onProgress = (stage: string, remaining: number) => {
        if (isTerminal) process.stderr.write(`\r\x1b[Kwaiting for ${remaining} ${stage}`)
      }
      try {
        await drain(loadConfig(), { timeoutMs: seconds * 1000, onProgress })
        const tookMs = Date.now() - began
        if (isTerminal) process.stderr.write('\r\x1b[K')
        console.log(json ? JSON.stringify({ drained: true, took_ms: tookMs }) : `drained in ${tookMs} ms`)
      } catch (error) {
        const reason = describe(error)
        if (reason === undefined) throw error
        if (isTerminal) process.stderr.write('\r\x1b[K')
        if (json) console.log(JSON.stringify({ drained: false, reason }))
        else console.error(`not drained: ${reason}`)
        process.exitCode = 1
      }
    })

/** The sentence an operator needs; undefined for what only a programmer can mend. */
function describe(error: unknown): string | undefined {
  if (error instanceof DrainTimeout) return error.message
  if (error instanceof ConfigError) return undefined
  if (isUnmigrated(error)) return unmigrated
  const code = codeOf(error)
  if (code === 'TypeError' || code === 'RangeError') return undefined
  return `Kafka or Postgres does not answer (${code}): run "touchline doctor".`
}

function positive(text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0)) throw new InvalidArgumentError('it must be a number of seconds above zero.')
  return seconds
}
