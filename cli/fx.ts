import { Command } from 'commander'
import { z } from 'zod'
import { isCurrency } from '../domain/currencies.ts'
import { inverseRate, minorRate } from '../domain/fx.ts'
import { dayMs } from '../domain/time.ts'
import { loadConfig } from '../infra/config.ts'
import { connectProducer } from '../infra/kafka/producer.ts'
import { linesOf, tooLong } from '../ingest/imports/lines.ts'
import type { FxRate } from '../schemas/messages.ts'
import { topics } from '../schemas/topics.ts'
import { openSource } from './source.ts'
import { print } from './with-postgres.ts'

export const command = () =>
  new Command()
    .description('exchange rates, by day')
    .addCommand(
      new Command('import')
        .description('take rates from a file of JSON lines: {"date", "base", "quote", "rate"}')
        .argument('<file>', 'the file, or - for standard input')
        .option('--json', 'print the summary as JSON')
        .action(importRates),
    )

const Currency = z.string().toUpperCase().refine(isCurrency, 'is no currency')
const Row = z
  .object({
    date: z.iso.date(),
    base: Currency,
    quote: Currency,
    rate: z.union([z.string(), z.number()]).transform(String),
  })
  .refine(
    ({ rate, base, quote }) => minorRate(rate, base, quote).ok,
    'must be a positive decimal between two currencies',
  )

/** A rate holds both ways: the other direction is worked out unless the file names it. */
async function importRates(file: string, options: { json?: boolean }): Promise<void> {
  const rates = new Map<string, FxRate>()
  const inverses = new Map<string, FxRate>()
  const keyOf = (rate: FxRate) => topics.fxRates.key(rate)
  let line = 0
  let bad = 0
  const source = await openSource(file)
  for await (const text of linesOf(source.chunks)) {
    line++
    if (text !== tooLong && text.trim() === '') continue
    const row = Row.safeParse(text === tooLong ? undefined : parse(text))
    if (!row.success) {
      bad++
      console.error(
        `line ${line}: ${row.error.issues.map((issue) => [...issue.path, issue.message].join(' ')).join('; ')}`,
      )
      continue
    }
    const rate: FxRate = { ...row.data, date: Date.parse(row.data.date) / dayMs }
    const inverse = { ...rate, base: rate.quote, quote: rate.base, rate: inverseRate(rate.rate) }
    rates.set(keyOf(rate), rate)
    inverses.set(keyOf(inverse), inverse)
  }
  const sent = [...new Map([...inverses, ...rates]).values()]
  const producer = connectProducer({ brokers: loadConfig().kafkaBrokers })
  try {
    for (let i = 0; i < sent.length; i += 1000) await producer.send(topics.fxRates, sent.slice(i, i + 1000))
  } finally {
    await producer.close()
  }
  print({ taken: rates.size, worked_out: sent.length - rates.size, bad }, options)
  if (bad > 0) process.exitCode = 1
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
