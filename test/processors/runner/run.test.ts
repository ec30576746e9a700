import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, it } from 'vitest'
import { connectProducer } from '../../../infra/kafka/producer.ts'
import { pipelineMetrics } from '../../../processors/runner/metrics.ts'
import {
  each,
  type Message,
  ok,
  type Pipeline,
  pipeline,
  reject,
  skip,
  together,
} from '../../../processors/runner/pipeline.ts'
import { type RunDeps, run } from '../../../processors/runner/run.ts'
import type { DirtyCustomers } from '../../../schemas/messages.ts'
import { groupOf } from '../../../schemas/topics.ts'
import { brokers, committed, freshTopic, rejectedOf, testCodec, until } from '../../kafka.ts'

const producer = connectProducer({ brokers, codec: testCodec })
afterAll(() => producer.close())

const deps: RunDeps = {
  brokers,
  producer,
  codec: testCodec,
  seal: (bytes) => Buffer.from(bytes.map((byte) => byte ^ 0xff)),
  retry: { firstMs: 10, longestMs: 50 },
}

const dirty = (...subject_ids: string[]): DirtyCustomers => ({ profile_id: randomUUID(), subject_ids })

/** Runs the pipeline until the condition holds, then stops it gracefully. */
async function runUntil(chain: Pipeline, condition: () => boolean | Promise<boolean>, more: Partial<RunDeps> = {}) {
  const running = run([chain], { ...deps, ...more })
  await Promise.race([until(condition), running.done])
  await running.stop()
}

describe('a pipeline', { timeout: 60_000 }, () => {
  it('is a chain: decode, steps, sinks in order; then its offsets are committed', async () => {
    const topic = await freshTopic()
    const log: string[] = []
    const seen: Message<string>[] = []
    const chain = pipeline(topic)
      .step(
        'count',
        each(({ value }) => ok(value.subject_ids.length)),
      )
      .step('spell', (batch) => batch.map(({ value }) => ok(`${value} dirty`)))
      .sink(
        async (batch) => {
          log.push('first')
          seen.push(...batch)
        },
        async () => void log.push('second'),
      )
    await producer.send(topic, [dirty('a', 'b')])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 1n)

    expect(log).toEqual(['first', 'second'])
    expect(seen.map(({ value }) => value)).toEqual(['2 dirty'])
    const [message] = seen
    expect(message?.version).toBe((message!.timestamp << 64n) | message!.offset)
    expect(Math.abs(Number(message?.timestamp) - Date.now())).toBeLessThan(600_000)
  })

  it('lets a step skip a message, which no later step and no sink sees', async () => {
    const topic = await freshTopic()
    const later: string[][] = []
    const chain = pipeline(topic)
      .step(
        'skip the empty',
        each(({ value }) => (value.subject_ids.length > 0 ? ok(value) : skip('empty'))),
      )
      .sink(async (batch) => void later.push(...batch.map(({ value }) => value.subject_ids)))
    await producer.send(topic, [dirty(), dirty('a'), dirty()])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 3n)
    expect(later).toEqual([['a']])
  })

  it('sends what a step rejects to `rejected`, sealed, with its place, reason and profile', async () => {
    const topic = await freshTopic()
    const bad = dirty('bad')
    const chain = pipeline(topic)
      .step(
        'judge',
        each(({ value }) => (value.subject_ids[0] === 'bad' ? reject('broken_seal') : ok(value))),
      )
      .sink(async () => {})
    await producer.send(topic, [dirty('good'), bad])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 2n)

    const [record] = await rejectedOf(topic.name, 1)
    expect(record).toMatchObject({ reason: 'broken_seal', profile_id: bad.profile_id, key: bad.profile_id })
    expect(deps.seal(record!.sealed)).toEqual(testCodec.encode(topic, bad))
  })

  it('rejects poison bytes and goes on: they never stop a partition', async () => {
    const topic = await freshTopic(1)
    const seen: string[] = []
    const chain = pipeline(topic).sink(async (batch) => void seen.push(...batch.flatMap((m) => m.value.subject_ids)))
    await producer.send(topic, [dirty('before')])
    await producer.sendRaw([{ topic: topic.name, key: 'k', value: Buffer.from('{"not":"avro"}') }])
    await producer.sendRaw([{ topic: topic.name, key: 'k', value: Buffer.alloc(0) }])
    await producer.send(topic, [dirty('after')])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 4n)

    expect(seen).toEqual(['before', 'after'])
    const records = await rejectedOf(topic.name, 2)
    expect(records.map((r) => [r.partition, r.offset, r.reason, r.profile_id])).toEqual([
      [0, 1, 'undecodable', null],
      [0, 2, 'undecodable', null],
    ])
    expect(deps.seal(records[0]!.sealed).toString()).toBe('{"not":"avro"}')
  })

  it('tries the whole batch again when a step or a sink throws, and commits nothing until it succeeds', async () => {
    const topic = await freshTopic()
    const batches: string[][] = []
    const commitsSeen: bigint[] = []
    const logged: string[] = []
    const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) })
    const registry = new Registry()
    const chain = pipeline(topic).sink(
      async (batch) => void batches.push(batch.map((m) => m.value.subject_ids[0]!).sort()),
      async () => {
        commitsSeen.push(await committed(groupOf(chain.name), topic.name))
        if (batches.length < 3) throw new TypeError('jane@example.com broke it')
      },
    )
    await producer.send(topic, [dirty('a'), dirty('b'), dirty('c')])
    const metrics = pipelineMetrics(registry)
    const isCommitted = async () => (await committed(groupOf(chain.name), topic.name)) === 3n
    await runUntil(chain, isCommitted, { logger, metrics, maxWaitMs: 300 })

    expect(batches).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ])
    expect(commitsSeen).toEqual([0n, 0n, 0n])
    expect(logged.join()).toContain('TypeError')
    expect(logged.join()).not.toContain('jane')
    const text = await registry.metrics()
    expect(text).toContain(`touchline_batch_retries_total{pipeline="${topic.name}",code="TypeError"} 2`)
    expect(text).toContain(`touchline_messages_total{pipeline="${topic.name}",kind="ok",reason=""} 3`)
    expect(text).toContain(`touchline_consumer_lag{group="${groupOf(topic.name)}"`)
  })

  it('runs sinks together that do not depend on each other, and the next one when the last of them is over', async () => {
    const topic = await freshTopic()
    const log: string[] = []
    const both = Promise.withResolvers<void>()
    const meet = (name: string) => async () => {
      log.push(name)
      if (log.length === 2) both.resolve()
      await both.promise
    }
    const chain = pipeline(topic).sink(together(meet('a'), meet('b')), async () => void log.push('after'))
    await producer.send(topic, [dirty('s')])
    await runUntil(chain, () => log.includes('after'))
    expect(log).toEqual(['a', 'b', 'after'])
  })

  it('waits for the slower of two sinks before it tries a batch again', async () => {
    const topic = await freshTopic()
    const log: string[] = []
    const chain = pipeline(topic).sink(
      together(
        async () => {
          if (!log.includes('slow')) throw new Error('too early')
        },
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 100))
          log.push('slow')
        },
      ),
      async () => void log.push('after'),
    )
    await producer.send(topic, [dirty('s')])
    await runUntil(chain, () => log.includes('after'))
    expect(log).toEqual(['slow', 'slow', 'after'])
  })

  it('stops loudly when a batch keeps failing, and never skips it', async () => {
    const topic = await freshTopic()
    const chain = pipeline(topic).sink(async () => {
      throw new Error('down for good')
    })
    await producer.send(topic, [dirty('a')])
    const running = run([chain], { ...deps, retry: { firstMs: 1, longestMs: 5, maxAttempts: 4 } })
    await expect(running.done).rejects.toThrow('down for good')
    expect(await committed(groupOf(chain.name), topic.name)).toBe(0n)
  })

  it('treats a step that does not answer every message as a failure', async () => {
    const topic = await freshTopic()
    const chain = pipeline(topic)
      .step('forgetful', () => [])
      .sink(async () => {})
    await producer.send(topic, [dirty('a')])
    const running = run([chain], { ...deps, retry: { firstMs: 1, maxAttempts: 1 } })
    await expect(running.done).rejects.toThrow('step forgetful must answer every message')
  })

  it('continues after a restart where it had committed', async () => {
    const topic = await freshTopic()
    const seen: string[] = []
    const chain = pipeline(topic).sink(async (batch) => void seen.push(...batch.map((m) => m.value.subject_ids[0]!)))
    await producer.send(topic, [dirty('1'), dirty('2')])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 2n)
    await producer.send(topic, [dirty('3')])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 3n)
    expect(seen.sort()).toEqual(['1', '2', '3'])
  })

  it('delivers a batch again whose process was killed in the middle of it', async () => {
    const topic = await freshTopic()
    await producer.send(topic, [dirty('a'), dirty('b')])
    const doomed = fork(new URL('./hang-in-sink.ts', import.meta.url), [topic.name], { stdio: 'inherit' })
    await once(doomed, 'message')
    doomed.kill('SIGKILL')
    await once(doomed, 'exit')

    const seen: string[] = []
    const chain = pipeline(topic).sink(async (batch) => void seen.push(...batch.map((m) => m.value.subject_ids[0]!)))
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 2n)
    expect(seen.sort()).toEqual(['a', 'b'])
  })

  it('keeps the order of messages with one key, also through retries', async () => {
    const topic = await freshTopic(3)
    const seen = new Map<string, string[]>()
    const profiles = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    let batches = 0
    const chain = pipeline(topic).sink(async (batch) => {
      if (++batches % 3 === 0) throw new Error('now and then')
      for (const { key, value } of batch) seen.set(key, [...(seen.get(key) ?? []), value.subject_ids[0]!])
    })
    const numbers = Array.from({ length: 50 }, (_, n) => String(n))
    for (const n of numbers) {
      await producer.send(
        topic,
        profiles.map((profile_id) => ({ profile_id, subject_ids: [n] })),
      )
    }
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 200n, { maxMessages: 20 })
    for (const profile of profiles) expect(seen.get(profile)).toEqual(numbers)
  })

  it('takes the steps of a full batch while the one before it is stored, and stores them in order', async () => {
    const topic = await freshTopic(1)
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const told: string[] = []
    const chain = pipeline(topic)
      .step('look', (batch) => {
        const subject = batch[0]!.value.subject_ids[0]!
        told.push(`look ${subject}`)
        if (subject === 'b') begun.resolve()
        return batch.map(({ value }) => ok(value))
      })
      .sink(async (batch) => {
        const subject = batch[0]!.value.subject_ids[0]!
        if (subject === 'a') await release.promise
        told.push(`store ${subject}`)
      })
    await producer.send(topic, [dirty('a'), dirty('b')])
    const running = run([chain], { ...deps, maxMessages: 1 })
    await begun.promise
    expect(told).toEqual(['look a', 'look b'])
    expect(await committed(groupOf(chain.name), topic.name)).not.toBe(1n)
    release.resolve()
    await until(async () => (await committed(groupOf(chain.name), topic.name)) === 2n)
    await running.stop()
    expect(told).toEqual(['look a', 'look b', 'store a', 'store b'])
  })

  it('rests after a batch of steady traffic until the next one is full', async () => {
    const topic = await freshTopic(1)
    const sizes: number[] = []
    const chain = pipeline(topic).sink(async (batch) => void sizes.push(batch.length))
    const few = Array.from({ length: 25 }, (_, n) => dirty(`${n}`))
    await producer.send(topic, few)
    const running = run([chain], { ...deps, maxMessages: few.length, maxWaitMs: 1, restMs: 600_000 })
    await until(async () => (await committed(groupOf(chain.name), topic.name)) === 25n)
    for (const one of few) await producer.send(topic, [one])
    await until(async () => (await committed(groupOf(chain.name), topic.name)) === 50n)
    await producer.send(topic, [dirty('waits')])
    await running.stop()
    expect(sizes).toEqual([25, 25])
  })

  it('tries a batch whose steps failed ahead of its turn again', async () => {
    const topic = await freshTopic(1)
    const failed = Promise.withResolvers<void>()
    const stored: string[] = []
    const chain = pipeline(topic)
      .step('look', (batch) => {
        const subject = batch[0]!.value.subject_ids[0]!
        if (subject === 'b' && stored.length === 0) {
          failed.resolve()
          throw new Error('away for a moment')
        }
        return batch.map(({ value }) => ok(value))
      })
      .sink(async (batch) => {
        if (batch[0]!.value.subject_ids[0] === 'a') await failed.promise
        stored.push(...batch.map(({ value }) => value.subject_ids[0]!))
      })
    await producer.send(topic, [dirty('a'), dirty('b')])
    await runUntil(chain, async () => (await committed(groupOf(chain.name), topic.name)) === 2n, { maxMessages: 1 })
    expect(stored).toEqual(['a', 'b'])
  })

  it('stops gracefully: the batch under way is finished and committed, the next one is not begun', async () => {
    const topic = await freshTopic(1)
    const entered = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    let batches = 0
    const chain = pipeline(topic).sink(async () => {
      batches++
      entered.resolve()
      await release.promise
    })
    await producer.send(topic, [dirty('a'), dirty('b')])
    const running = run([chain], { ...deps, maxMessages: 1 })
    await entered.promise
    const stopped = running.stop()
    release.resolve()
    await stopped
    await running.done
    expect(batches).toBe(1)
    expect(await committed(groupOf(chain.name), topic.name)).toBe(1n)
  })

  it('leaves a failing batch uncommitted when it is stopped', async () => {
    const topic = await freshTopic(1)
    let attempts = 0
    const chain = pipeline(topic).sink(async () => {
      attempts++
      throw new Error('not now')
    })
    await producer.send(topic, [dirty('a')])
    await runUntil(chain, () => attempts >= 2, { retry: { firstMs: 5, longestMs: 60_000 } })
    expect(await committed(groupOf(chain.name), topic.name)).toBe(0n)
  })
})
