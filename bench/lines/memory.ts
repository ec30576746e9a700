import { type Line, valueAtMost } from '../line.ts'

/** The most that any one process of each of our services held during the lines before this one. */
export const memory: Line = {
  name: 'memory',
  rounds: 1,
  figures: ['api', 'processors'].map((service) => ({
    name: `${service}, at its highest`,
    unit: 'MB',
    beside: 'an idle Fastify process',
    target: valueAtMost(400),
  })),
  async open(stage) {
    return {
      async measure() {
        const route = stage.program('bare-route.ts', {})
        await route.next()
        route.send({})
        const { residentMb } = await route.next<{ residentMb: number }>()
        await route.stop()
        return (['api', 'processors'] as const).map((name) => ({
          value: stage.memory.peakMb(name) || Number.NaN,
          limit: residentMb,
        }))
      },
    }
  },
}
