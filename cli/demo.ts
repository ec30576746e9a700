import { Command, InvalidArgumentError } from 'commander'
import { maxVisitors } from '../demo/business.ts'
import { campaignTable, journeyLines, performerLines, whatToNotice } from '../demo/print.ts'
import { compare, connectReports } from '../demo/report.ts'
import { Refused } from '../demo/send.ts'
import { count, step } from '../demo/steps.ts'
import { ids } from '../domain/ids.ts'
import { type Config, loadConfig, loadStackSettings, readEndpoints } from '../infra/config.ts'
import { startUntilSignal } from '../infra/local/foreground.ts'
import { LaunchError } from '../infra/local/launch-error.ts'
import { recordedProcess } from '../infra/local/process-record.ts'
import { connectPostgres } from '../postgres/client.ts'
import { customerOf } from './demo/customer-of.ts'
import { type Demo, openDemo, rememberSent } from './demo/remembered.ts'
import { sendBusiness } from './demo/send-business.ts'
import { DrainTimeout, drain } from './drain.ts'
import { scoreNow } from './performers.ts'

interface Options {
  once?: boolean
  fresh?: boolean
  seed: number
  visitors: number
}

export const command = () =>
  new Command()
    .description('send a simulated business through the collectors and report on it, the truth beside the models')
    .option('--once', 'exit after the report')
    .option('--fresh', 'begin again in a new profile, even if this business is already there')
    .option('--seed <number>', 'which business: the same number is the same one', wholeNumber(0, 2 ** 31), 7)
    .option('--visitors <number>', 'how many people visit it', wholeNumber(10, maxVisitors), 3000)
    .action(run)

async function run(options: Options): Promise<void> {
  const { home, host, port } = loadStackSettings()
  if (recordedProcess(home, 'supervisor') && readEndpoints(home)) {
    if (!recordedProcess(home, 'api')) throw new LaunchError(`Only engines run in ${home}: run "make down" first.`)
    console.log(`using the stack that runs in ${home}`)
    if (!(await show(loadConfig(), options, 'it stays up until "make down"'))) process.exitCode = 1
    return
  }
  const report = (line: string) => console.log(line)
  const running = await startUntilSignal({ home, host, port, services: true, env: process.env, report })
  if (!running) return
  const { stack, interrupted, finished, finish } = running
  try {
    const isRight = await show(loadConfig(stack.env), options, options.once ? '' : 'up until Ctrl-C', interrupted)
    if (!isRight) process.exitCode = 1
    if (options.once) await finish()
    else await finished
  } catch (error) {
    await finish()
    // What was under way when Ctrl-C came fails; that is no news.
    if (!interrupted.aborted) throw error
    process.exitCode = 130
  }
}

/** False when the report does not add up to what was sent. */
async function show(config: Config, options: Options, stays: string, signal?: AbortSignal): Promise<boolean> {
  const demo = await openDemo(config, options)
  const { business } = demo
  if (demo.isSent) console.log('the business is already here: nothing is sent again ("--fresh" begins anew)')
  else {
    await send(config, demo, signal)
    rememberSent(config.home, demo)
  }
  const api = connectReports({ baseUrl: config.baseUrl, key: demo.key })
  const report = await api.report(business)
  const wrong = compare(report, business.truth)
  const customerId = await customerOf(
    config.clickhouseUrl,
    demo,
    ids.visitor(demo.profileId, business.example.visitorId),
  )
  const { truth, dateFrom, dateTo } = business
  console.log(`\nHarbour Bikes, ${dateFrom} to ${dateTo}, ${count(business.ads.length)} ads: revenue by model\n`)
  console.log(campaignTable(report, truth))
  console.log(`\n${whatToNotice(report, truth)}`)
  if (wrong.length === 0) {
    console.log(
      `Checked: campaigns and remainder add up to all ${count(truth.total.sales)} sales and ` +
        `$${(truth.total.netMinor / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}, to the cent.`,
    )
  } else {
    console.error(`\nTHE REPORT IS WRONG:\n${wrong.map((line) => `  ${line}`).join('\n')}`)
  }
  console.log(`\nOne customer, ${business.example.devices} devices (GET /api/v1/customers/${customerId}/journey):`)
  for (const line of journeyLines(await api.journey(customerId))) console.log(line)
  console.log('\nThe best ads of 28 days, each among its like (GET /api/v1/top-performers):')
  for (const line of performerLines(await api.topPerformers(5))) console.log(line)
  console.log(`\n${goOn(config, demo)}\n`)
  if (stays) console.log(stays)
  console.log(config.baseUrl)
  return wrong.length === 0
}

async function send(config: Config, demo: Demo, signal: AbortSignal | undefined) {
  try {
    await sendBusiness(config, demo, signal)
    await step(process.stdout, 'waiting until it is processed', undefined, (onProgress) =>
      drain(config, { timeoutMs: 900_000, onProgress: (stage, left) => onProgress(0, `${count(left)} ${stage}`) }),
    )
    await step(process.stdout, 'ads ranked', undefined, () => rank(config, demo))
  } catch (error) {
    if (!(error instanceof Refused || error instanceof DrainTimeout)) throw error
    throw new LaunchError(`The demo stopped: ${error.message}. Run it again: it goes on where it was.`)
  }
}

/** Otherwise it would be done within the day. */
async function rank({ databaseUrl, clickhouseUrl }: Config, { profileId }: Demo) {
  const postgres = connectPostgres(databaseUrl, { max: 2 })
  try {
    await scoreNow(postgres, clickhouseUrl, { profile: profileId })
  } finally {
    await postgres.end()
  }
}

function goOn({ baseUrl, clickhouseUrl, databaseUrl, kafkaBrokers }: Config, demo: Demo): string {
  const range = `date_from=${demo.business.dateFrom}&date_to=${demo.business.dateTo}`
  const sql = `SELECT channel, count() FROM touchline.touches WHERE profile_id = '${demo.profileId}' GROUP BY channel ORDER BY 2 DESC`
  return [
    `API docs    ${baseUrl}/docs`,
    `ClickHouse  ${clickhouseUrl}`,
    `Postgres    ${databaseUrl}`,
    `Kafka       ${kafkaBrokers.join(',')}`,
    `API key     ${demo.key}`,
    '',
    `curl -s -H 'authorization: Bearer ${demo.key}' '${baseUrl}/api/v1/campaigns?${range}&model=time_decay'`,
    `curl -s '${clickhouseUrl}/?database=${demo.database}' --data-binary "${sql} FORMAT PrettyCompact"`,
  ].join('\n')
}

const wholeNumber = (from: number, to: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < from || value > to) {
    throw new InvalidArgumentError(`Use a whole number from ${from} to ${to}.`)
  }
  return value
}
