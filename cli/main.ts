import { Command } from 'commander'
import { ConfigError } from '../infra/config.ts'
import { LaunchError } from '../infra/local/launch-error.ts'
import { sentenceOf } from './failure.ts'

/** One file per command, beside this one; it is loaded only when its command is called. */
const commands = {
  up: 'start the engines and services, return when they are ready',
  down: 'stop what "up" started',
  doctor: 'say what runs where, what is wrong and how to fix it',
  migrate: 'bring the engines to the newest schema',
  profiles: 'create and list profiles',
  workspaces: 'create workspaces, change their plan, healthcare mark or allowance',
  apps: 'create partner apps, grant them profiles, shut them out',
  users: 'create users, reset a password',
  keys: 'create API keys',
  hooks: 'manage where providers notify us, and see what they told',
  identity: 'show how people were stitched together, and undo it',
  import: 'send rows of a file through the collectors',
  stages: 'say what the stages of CRM pipelines count as',
  fx: 'import dated exchange rates',
  performers: 'rank the ads of profiles anew',
  replay: 'derive everything again from the topics',
  rejected: 'list rejected messages and send them again',
  drain: 'return when everything sent so far has been processed',
  demo: 'run a simulated business through a fresh stack',
}

const [first, second] = process.argv.slice(2)
const called = first === 'help' ? second : first
const program = new Command('touchline').description('Open marketing attribution and customer journeys.')

try {
  for (const [name, summary] of Object.entries(commands)) {
    program.addCommand((name === called ? await load(name) : new Command(name)).summary(summary))
  }
  await program.parseAsync()
} catch (error) {
  const isOurs = error instanceof ConfigError || error instanceof LaunchError
  const sentence = sentenceOf(error)
  if (!isOurs && sentence === undefined) throw error
  console.error(isOurs ? error.message : `error: ${sentence}`)
  process.exitCode = 1
}

async function load(name: string): Promise<Command> {
  const module = (await import(`./${name}.ts`)) as { command: () => Command }
  return module.command().name(name)
}
