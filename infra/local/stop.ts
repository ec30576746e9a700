import { rmSync } from 'node:fs'
import { endpointsFile } from '../config.ts'
import { endOrphans } from './home.ts'
import { endProcess, forgetProcess, recordedProcess } from './process-record.ts'
import type { Report } from './progress.ts'

/** A supervisor stops its engines in turn; only when that hangs is it ended, and the engines one by one. */
const supervisorGraceMs = 180_000

/** Stops the stack that runs in a home, or what a crashed one left there; false when nothing ran. */
export async function stopStack(home: string, report: Report): Promise<boolean> {
  const supervisor = recordedProcess(home, 'supervisor')
  // Alone, not its group: a supervisor in a terminal shares its group with the shell's other programs.
  if (supervisor) await endProcess(supervisor, { group: false, graceMs: supervisorGraceMs })
  const orphans = await endOrphans(home, report)
  forgetProcess(home, 'supervisor')
  rmSync(endpointsFile(home), { force: true })
  return supervisor !== undefined || orphans > 0
}
