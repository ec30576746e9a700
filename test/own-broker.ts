import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAdmin } from '../infra/kafka/admin.ts'
import { kafka } from '../infra/local/kafka.ts'
import { findFreePort } from '../infra/local/ports.ts'

export interface OwnBroker {
  brokers: string[]
  /** As a power cut would: SIGKILL. */
  kill(): Promise<void>
  start(): Promise<void>
  end(): Promise<void>
}

/** A broker that a test may kill, with all topics. */
export async function ownBroker(): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'touchline-broker-'))
  const port = await findFreePort()
  const secondPort = await findFreePort([port])
  const launch = await kafka.prepare({ folder, port, secondPort, env: process.env, report: () => {} })
  const { command, args, ready } = launch.program
  let child: ChildProcess | undefined

  const start = async () => {
    child = spawn(command, args, { cwd: folder, stdio: 'ignore' })
    for (;;) {
      try {
        await ready()
        return
      } catch {
        if (child.exitCode !== null) throw new Error('the broker ended while it started')
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  await start()
  const brokers = [launch.address]
  const admin = connectAdmin({ brokers })
  await admin.createTopics()
  await admin.close()
  return {
    brokers,
    kill,
    start,
    end: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
