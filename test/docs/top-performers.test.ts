import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { objectives } from '../../domain/performers/creative.ts'
import { layers, layerWeights } from '../../domain/performers/layers.ts'
import { scoreAds } from '../../domain/performers/score-ads.ts'
import { ad } from '../domain/performers/ads.ts'

const page = readFileSync('docs/top-performers.md', 'utf8')

/** The rows of the table whose heading begins so. */
function tableOf(heading: string): string[][] {
  const lines = page.split('\n').map((line) => line.trim())
  const at = lines.findIndex((line) => line.startsWith(heading))
  const rows = lines.slice(at + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

describe('the page on top performers', () => {
  it('gives an example that comes out as it says', () => {
    const account = tableOf('| ad | spend').map(([id, ...figures]) => {
      const [spend, impressions, clicks, payments, revenue] = figures.map(Number) as [
        number,
        number,
        number,
        number,
        number,
      ]
      const sold = { outcomes: payments, cashOutcomes: payments, cashValue: revenue }
      return ad(id!, { spend, impressions, clicks, ...sold, format: 'unknown', objective: 'unknown' })
    })
    expect(account).toHaveLength(4)
    expect(
      scoreAds(account).map(({ rank, ad, compositeScore, likelihood }) =>
        [rank, ad.adExternalId, compositeScore, likelihood].map(String),
      ),
    ).toEqual(tableOf('| rank | ad'))
  })

  it('gives the weights that are used', () => {
    const rows = tableOf('| objective of the cohort')
    expect(rows.map(([objective]) => objective).sort()).toEqual([...objectives, 'any other'].sort())
    for (const [objective, ...weights] of rows) {
      expect(weights.map(Number)).toEqual(layers.map((layer) => layerWeights(objective!)[layer]))
    }
  })
})
