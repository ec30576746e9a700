import { z } from 'zod'
import { one } from '../../../http/operation.ts'
import type { JourneySummary as Stored } from '../../../postgres/stores/journey-summaries.ts'

/** SPEC 8: the first events of a journey that a summary is written from. */
export const mostEvents = 100

const JourneySummary = z
  .object({
    text: z.string(),
    generated_at: z.iso.datetime(),
    event_count: z.int().meta({ description: `How many events it was written from: the first ${mostEvents} at most.` }),
    generator: z.string().meta({ description: 'The model that wrote it; `touchline` where the service did itself.' }),
  })
  .meta({ id: 'JourneySummary' })

export const summaryResponse = one(
  z
    .object({
      summary: JourneySummary.nullable().meta({ description: 'Null when there is none.' }),
      cached: z.boolean().meta({ description: 'Whether it was read from store.' }),
    })
    .meta({ id: 'JourneySummaryAnswer' }),
)

export const noSummary = { summary: null, cached: false }

export const toSummary = ({ text, generatedAt, eventCount, generator }: Stored) => ({
  text,
  generated_at: generatedAt.toISOString(),
  event_count: eventCount,
  generator,
})
