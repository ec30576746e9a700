import type { Load, LoadSettings } from './programs/load.ts'
import type { Stage } from './stage.ts'

/** Closed-loop load from a process of its own, until its time is over. */
export async function load(stage: Stage, settings: LoadSettings): Promise<Load> {
  const program = stage.program('load.ts', settings)
  const result = await program.next<Load>()
  await program.stop()
  if (result.failed > 0) stage.report(`  ${result.failed} requests to ${settings.url} failed`)
  return result
}

/** Compilers take a third of a core for the first seconds; what is measured has been up for a while. */
export async function warmUp(stage: Stage, targets: Omit<LoadSettings, 'connections' | 'seconds'>[]): Promise<void> {
  for (const target of targets) await load(stage, { ...target, connections: 256, seconds: stage.isQuick ? 3 : 15 })
}
