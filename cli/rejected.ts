import { Command, Option } from 'commander'
import { deriveKey, keyLabels } from '../domain/sealing.ts'
import { loadConfig } from '../infra/config.ts'
import { connectProducer } from '../infra/kafka/producer.ts'
import { advanceReplay, completeReplay, failReplay, startReplay } from '../postgres/stores/replays.ts'
import type { ReplayDeps } from '../processors/replay/deps.ts'
import { countRejected, resendRejected } from '../processors/replay/rejected.ts'
import { rejectReasons } from '../processors/runner/pipeline.ts'
import { progressBar } from './progress-bar.ts'
import { print } from './with-postgres.ts'
import { withReplay } from './with-replay.ts'

interface Options {
  reason?: string
  json?: boolean
}

export const command = () => new Command().addCommand(list()).addCommand(replay())

const reason = () => new Option('--reason <reason>', 'only those rejected for this').choices([...rejectReasons])

const list = () =>
  new Command('list')
    .description('count the rejected messages by topic and reason')
    .addOption(reason())
    .option('--json', 'print JSON, one count a line')
    .action((options: Options, self: Command) =>
      withReplay(self, async (deps) => {
        const counts = (await countRejected(deps)).filter((c) => !options.reason || c.reason === options.reason)
        for (const count of counts) {
          const { topic, reason, count: found, resent } = count
          console.log(options.json ? JSON.stringify(count) : `${topic}  ${reason}  ${found}, ${resent} sent again`)
        }
        if (counts.length === 0 && !options.json) console.log('no message is rejected')
      }),
    )

const replay = () =>
  new Command('replay')
    .description('send rejected messages to their topics again, each once')
    .addOption(reason())
    .option('--json', 'print JSON')
    .action((options: Options, self: Command) => withReplay(self, (deps) => resend(deps, options)))

async function resend(deps: ReplayDeps, options: Options): Promise<void> {
  const config = loadConfig()
  const { postgres, codec } = deps
  const producer = connectProducer({ brokers: config.kafkaBrokers, codec, timeoutMs: 10_000 })
  const key = deriveKey(config.secret, keyLabels.rejected)
  const { id } = await startReplay(postgres, {
    kind: 'rejected',
    profileId: null,
    from: null,
    isDryRun: false,
    generation: null,
  })
  const bar = progressBar(process.stderr, undefined)
  let total = 0
  let unreadable = 0
  try {
    for (const one of options.reason ? [options.reason] : rejectReasons) {
      const before = total
      const onSent = (sent: number) => bar.update(before + sent, `${before + sent} sent again`)
      const result = await resendRejected({ ...deps, producer, key, onSent }, one)
      total += result.sent
      unreadable += result.unreadable
    }
    await advanceReplay(postgres, id, { messagesDone: total, messagesTotal: total })
    await completeReplay(postgres, id)
  } catch (error) {
    // What was sent is remembered where it was read; there is nothing to take up.
    await failReplay(postgres, id, deps.signal.aborted ? 'interrupted' : 'failed', true).catch(() => {})
    throw error
  } finally {
    bar.end()
    await producer.close()
  }
  print({ sent: total, unreadable }, options)
}
