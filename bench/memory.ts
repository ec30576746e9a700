import { readFileSync } from 'node:fs'
import { recordedProcess } from '../infra/local/process-record.ts'

const watched = ['api', 'processors', 'clickhouse'] as const
export type Watched = (typeof watched)[number]

export interface Memory {
  /** The most that any one process of this name has held since it was last forgotten; 0 when it never ran. */
  peakMb(name: Watched): number
  forget(name: Watched): void
  stop(): void
}

/** Resident memory of the processes of a home, looked at five times a second. */
export function watchMemory(home: string): Memory {
  const peaks = new Map<Watched, number>()
  const look = () => {
    for (const name of watched) {
      const pid = recordedProcess(home, name)?.pid
      if (pid) peaks.set(name, Math.max(peaks.get(name) ?? 0, ...[pid, ...childrenOf(pid)].map(residentMb)))
    }
  }
  const timer = setInterval(look, 200)
  timer.unref()
  return {
    peakMb: (name) => peaks.get(name) ?? 0,
    forget: (name) => void peaks.delete(name),
    stop: () => clearInterval(timer),
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
