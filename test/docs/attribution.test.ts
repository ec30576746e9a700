import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditReference } from '../../domain/credit-reference.ts'
import { type Model, models, wholeWeight } from '../../domain/models.ts'
import { openReadingApp } from '../query-api/operations/reading-app.ts'

const page = readFileSync('docs/attribution.md', 'utf8')

type Row = Record<string, string>

/** Every table under a heading, as rows by column. */
function tablesOf(text: string): Row[][] {
  return [...text.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => {
    const [head, , ...rows] = table
      .trim()
      .split('\n')
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      )
    return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [head![at]!, cell])))
  })
}

const examples = page
  .split(/^### Example: /m)
  .slice(1)
  .map((section) => {
    const tables = tablesOf(section.split(/^## /m)[0]!)
    const having = (column: string) => tables.find((rows) => column in rows[0]!)
    return {
      title: section.split('\n')[0]!,
      touches: having('touch')!,
      conversions: having('conversion')!,
      weights: having('A'),
      report: having('Spring value')!,
    }
  })

const ads: Record<string, { ad: string }> = { 'ad of Spring': { ad: 'spring-ad' }, 'ad of Autumn': { ad: 'autumn-ad' } }
const ways: Record<string, object> = { ...ads, newsletter: { signature: 'newsletter', channel: 'email' }, direct: {} }
const at = (time: string) => Date.parse(`${time.replace(' ', 'T')}:00Z`)
const cents = (amount: string) => Math.round(Number(amount) * 100)

let api: Awaited<ReturnType<typeof openReadingApp>>
beforeAll(async () => {
  api = await openReadingApp()
})
afterAll(() => api.close())

async function tell({ touches, conversions }: (typeof examples)[number]) {
  const profile = await api.profile()
  const { world } = profile
  for (const name of ['Spring', 'Autumn']) {
    const id = name.toLowerCase()
    await world.ad(`${id}-ad`, { campaign_external_id: id, campaign_name: name, ad_set_external_id: `${id}-set` })
  }
  const [customer, token] = [randomUUID(), randomUUID()]
  const browsers = new Map<string, string>()
  const names = new Map<string, string>()
  await world.belongs(token, customer)
  for (const touch of touches) {
    const browser = browsers.get(touch.browser!) ?? randomUUID()
    if (!browsers.has(touch.browser!)) await world.belongs(browser, customer)
    browsers.set(touch.browser!, browser)
    names.set(await world.hit(browser, at(touch['time (UTC)']!), ways[touch['came by']!]), touch.touch!)
  }
  for (const conversion of conversions) {
    await world.outcome(token, at(conversion['time (UTC)']!), {
      amount: cents(conversion.value!),
      refunded: cents(conversion.refunded!),
      ...ads[conversion.names!],
    })
  }
  await world.recompute()
  return { ...profile, names }
}

describe('docs/attribution.md', () => {
  it('defines every model, and works all of them through', () => {
    const defined = tablesOf(page).find((rows) => 'weight' in rows[0]!)!
    expect(defined.map((row) => row.model)).toEqual(expect.arrayContaining(models.map((model) => `\`${model}\``)))
    expect(examples.flatMap(({ weights }) => weights?.map((row) => row.model))).toEqual(
      expect.arrayContaining([...models]),
    )
  })

  it.each(examples)('$title: the report shows these figures', async (example) => {
    const { read } = await tell(example)
    for (const expected of example.report) {
      const query = `date_from=2026-10-01&date_to=2026-10-31&model=${expected.model}`
      const { body: rows } = await read(`/campaigns?${query}`)
      const { body: rest } = await read(`/campaigns/unattributed?${query}`)
      const shown = (name: string) => rows.data.find((row: { campaign_name: string }) => row.campaign_name === name)
      const figures = { Spring: shown('Spring'), Autumn: shown('Autumn'), unattributed: rest.data }
      const told = Object.fromEntries(
        Object.entries(figures).flatMap(([name, row]) => [
          [`${name} value`, (row?.outcome_value ?? 0).toFixed(2)],
          [`${name} count`, String(row?.outcome_count ?? 0)],
        ]),
      )
      expect({ model: expected.model, ...told }).toEqual(expected)
    }
  })

  it.each(examples.filter(({ weights }) => weights))('$title: touches weigh so much', async (example) => {
    const { names, world } = await tell(example)
    const [credit] = await world.credits()
    const path = credit!.touch_ids.map((id) => names.get(id)!)
    const outside = example.touches.map((row) => row.touch!).filter((touch) => !path.includes(touch))
    const conversionMs = at(example.conversions[0]!['time (UTC)']!)
    const touches = example.touches.map((row) => ({
      id: row.touch!,
      timeMs: at(row['time (UTC)']!),
      isDirect: row['came by'] === 'direct',
    }))
    for (const { model, ...expected } of example.weights!) {
      const weigh = (weights: number[]) => ({
        ...Object.fromEntries(path.map((touch, place) => [touch, String(weights[place]! / wholeWeight)])),
        ...Object.fromEntries(outside.map((touch) => [touch, '-'])),
      })
      expect(weigh(credit![model as Model]), model).toEqual(expected)
      const reference = creditReference(touches, conversionMs, 30, model as Model)
      expect(weigh(reference.weights), `${model} in plain words`).toEqual(expected)
    }
  })
})
