import { setTimeout as sleep } from 'node:timers/promises'
import { engineFailure } from '../../http/engine-failure.ts'
import type { Producer } from '../../infra/kafka/producer.ts'
import { describeIssue } from '../issues.ts'
import type { OnRefused } from '../person.ts'
import { type ImportKindName, importKinds } from './kinds.ts'
import { type Line, tooLong } from './lines.ts'
import { BadRow, type ImportContext } from './row.ts'

export interface ImportDeps {
  producer: Pick<Producer, 'send'>
  vault: ImportContext['vault']
  clock?: () => number
  onRefused?: OnRefused
  /** Told of each line that was not taken; the message never repeats a value. */
  onBadLine?: (line: number, reason: string) => void
  onProgress?: (taken: number, bad: number) => void
  /** How long to go on trying while an engine is away. */
  patienceMs?: number
}

export interface ImportSummary {
  taken: number
  bad: number
}

const batchRows = 500

/** Sends each line as a message, in order and in batches; a bad line is reported and the others are taken. */
export async function importRows(
  name: ImportKindName,
  profileId: string,
  lines: AsyncIterable<Line> | Iterable<Line>,
  deps: ImportDeps,
): Promise<ImportSummary> {
  const summary: ImportSummary = { taken: 0, bad: 0 }
  let batch: NumberedLine[] = []
  let line = 0
  const flush = async () => {
    const outcomes = await persist(deps, () => sendBatch(name, profileId, batch, deps))
    for (const { line: at, reason } of outcomes) deps.onBadLine?.(at, reason)
    summary.bad += outcomes.length
    summary.taken += batch.length - outcomes.length
    batch = []
    deps.onProgress?.(summary.taken, summary.bad)
  }
  for await (const text of lines) {
    line++
    if (text !== tooLong && text.trim() === '') continue
    batch.push({ line, text })
    if (batch.length >= batchRows) await flush()
  }
  if (batch.length > 0) await flush()
  return summary
}

interface NumberedLine {
  line: number
  text: Line
}

interface BadLine {
  line: number
  reason: string
}

async function sendBatch(
  name: ImportKindName,
  profileId: string,
  batch: NumberedLine[],
  { producer, vault, onRefused, clock = Date.now }: ImportDeps,
): Promise<BadLine[]> {
  const kind = importKinds[name]
  const context: ImportContext = { profileId, receivedAt: clock(), vault, ...(onRefused && { onRefused }) }
  const bad: BadLine[] = []
  const messages = await Promise.all(
    batch.map(async ({ line, text }) => {
      try {
        const parsed = kind.row.safeParse(readLine(text))
        if (parsed.success) return await kind.toMessage(parsed.data, context)
        bad.push({ line, reason: parsed.error.issues.map(describeIssue).join('; ') })
      } catch (error) {
        if (!(error instanceof BadRow)) throw error
        bad.push({ line, reason: error.message })
      }
      return undefined
    }),
  )
  await producer.send(
    kind.topic,
    messages.filter((message) => message !== undefined),
  )
  return bad.sort((a, b) => a.line - b.line)
}

function readLine(text: Line): unknown {
  if (text === tooLong) throw new BadRow('row', 'is longer than a megabyte')
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRow('row', 'is not valid JSON')
  }
}

/** Sending a batch again is harmless, so an engine that is away for a moment does not end an import. */
async function persist<T>({ patienceMs = 30_000 }: ImportDeps, work: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + patienceMs
  for (let pauseMs = 200; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      return await work()
    } catch (error) {
      if (engineFailure(error) === undefined || Date.now() + pauseMs > giveUpAt) throw error
      await sleep(pauseMs)
    }
  }
}
