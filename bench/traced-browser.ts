import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromiumFlags } from '../infra/local/chromium.ts'
import { findProgram, runCommand } from '../infra/local/run-command.ts'

export interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** On the clock of the thread itself: other processes on the machine do not count. */
  tts: number
  tdur: number
  args: { url?: string; data?: { url?: string; lineNumber?: number } }
}

export interface TracedBrowser {
  /** What the browser did for a page that it had never seen, in a process of its own, while `ms` went by. */
  load(address: string, slowdown: number, ms: number): Promise<TraceEvent[]>
  close(): Promise<void>
}

const categories = ['devtools.timeline', 'v8', 'blink.resource']

/** A new window loads parts of the browser's own surface, hundreds of scripts, beside the page. */
const windowRestMs = 1_500

/**
 * A browser that does nothing but load the page and keep its trace: nobody follows the page's requests and scripts, which
 * would be told on its main thread. That thread has a processor to itself where there are two. The browser's slowdown counts
 * as run whatever went by since it last looked, also what the thread waited for its turn.
 */
export async function openTracedBrowser(executablePath: string, env: NodeJS.ProcessEnv): Promise<TracedBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'touchline-browser-'))
  const taskset = findProgram('taskset', env)
  const processors = taskset ? allowedProcessors() : []
  const pagesOwn = processors.length > 1 ? processors.pop() : undefined
  const command = [
    ...(pagesOwn === undefined ? [] : [taskset!, '--cpu-list', processors.join()]),
    executablePath,
    ...chromiumFlags,
    '--headless',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
  ]
  const child = spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const close = async () => {
    child.kill()
    await ended
    rmSync(folder, { recursive: true, maxRetries: 5 })
  }
  const devtools = await addressOf(child)
    .then(connect)
    .catch(async (error) => {
      await close()
      throw error
    })

  const giveProcessor = async () => {
    if (pagesOwn === undefined) return
    const { processInfo } = await devtools.send<{ processInfo: { type: string; id: number }[] }>(
      'SystemInfo.getProcessInfo',
    )
    const renderers = processInfo.filter(({ type }) => type === 'renderer')
    // A process's own id is its main thread's; one that has just ended needs none.
    const give = ({ id }: { id: number }) =>
      runCommand(taskset!, ['--cpu-list', '--pid', `${pagesOwn}`, `${id}`], { env }).catch(() => undefined)
    await Promise.all(renderers.map(give))
  }

  return {
    async load(address, slowdown, ms) {
      const context = await devtools.send<{ browserContextId: string }>('Target.createBrowserContext')
      const { targetId } = await devtools.send<{ targetId: string }>('Target.createTarget', {
        url: 'about:blank',
        ...context,
      })
      await sleep(windowRestMs)
      await giveProcessor()
      const { sessionId } = await devtools.send<{ sessionId: string }>('Target.attachToTarget', {
        targetId,
        flatten: true,
      })
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown }, sessionId)
      const events: TraceEvent[] = []
      const traced = devtools.collect('Tracing.dataCollected', 'Tracing.tracingComplete', ({ value }) => {
        events.push(...(value as TraceEvent[]))
      })
      await devtools.send('Tracing.start', { traceConfig: { includedCategories: categories } })
      await devtools.send('Page.navigate', { url: address }, sessionId)
      await sleep(ms)
      await devtools.send('Tracing.end')
      await traced
      await devtools.send('Target.disposeBrowserContext', context)
      return events
    },
    close,
  }
}

/** The processors that this process may use: in a container these need be neither all nor the first. */
function allowedProcessors(): number[] {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))!
  return list!.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

/** The browser says on its error output where it listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stderr!)) {
    const [, address] = /^DevTools listening on (\S+)/.exec(line) ?? []
    if (address) {
      child.stderr!.resume()
      return address
    }
  }
  throw new Error('Chromium ended before it listened.')
}

type Params = Record<string, unknown>
interface Message {
  id?: number
  method?: string
  params?: Params
  result?: unknown
  error?: { message: string }
}

/** The browser's own protocol, as far as a trace needs it. */
async function connect(address: string) {
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const answers = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners = new Map<string, (params: Params) => void>()
  let lastId = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(data) as Message
    if (id === undefined) return listeners.get(method!)?.(params!)
    const answer = answers.get(id)!
    answers.delete(id)
    if (error) answer.reject(new Error(error.message))
    else answer.resolve(result)
  })
  return {
    send<T>(method: string, params: Params = {}, sessionId?: string): Promise<T> {
      const id = ++lastId
      const answer = Promise.withResolvers<unknown>()
      answers.set(id, answer)
      socket.send(JSON.stringify({ id, method, params, sessionId }))
      return answer.promise as Promise<T>
    },
    /** Every message of one kind until one of the other comes. */
    collect(each: string, last: string, take: (params: Params) => void): Promise<void> {
      listeners.set(each, take)
      return new Promise((resolve) => listeners.set(last, () => resolve()))
    },
  }
}
