import { styleText } from 'node:util'
import Table from 'cli-table3'
import {
  type JourneyEvent,
  misplaced,
  type Performer,
  type Report,
  type ShownModel,
  shownModels,
  totals,
} from './report.ts'
import { count } from './steps.ts'
import type { Truth } from './truth.ts'

const titles: Record<ShownModel, string> = { last_touch: 'last touch', first_touch: 'first touch', linear: 'linear' }
const dollars = (minor: number) => `$${count(Math.round(minor / 100))}`
const bold = (text: string) => styleText('bold', text)
const dim = (text: string) => styleText('dim', text)

/** Campaigns ranked by what they really caused, each model's guess beside it. */
export function campaignTable(report: Report, truth: Truth): string {
  const table = new Table({
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 1 },
    chars: { ...noLines, mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    colAligns: ['left', ...Array.from({ length: 10 }, () => 'right' as const)],
  })
  const models = [...shownModels.map((model) => titles[model]), 'really caused']
  table.push([
    ...['Campaign', 'Spend', 'Sales'].map(bold),
    ...models.flatMap((model) => [bold(model), bold('ROAS')]),
  ] as string[])
  const causedBy = (name: string) => truth.byCampaign.get(name)?.netMinor ?? 0
  for (const { name, spendMinor, models } of report.campaigns.toSorted((a, b) => causedBy(b.name) - causedBy(a.name))) {
    const values = [...shownModels.map((model) => models[model].valueMinor), causedBy(name)]
    table.push([
      name,
      dollars(spendMinor),
      count(models.last_touch.sales),
      ...values.flatMap((value, at) => coloured(at, value, causedBy(name), [dollars(value), roas(value, spendMinor)])),
    ])
  }
  const rest = shownModels.map((model) => report.unattributed[model].valueMinor)
  const remainder = [...rest, truth.byNoAd.netMinor].flatMap((value) => [dollars(value), ''])
  table.push([dim('no campaign'), '', count(report.unattributed.last_touch.sales), ...remainder])
  const spend = report.campaigns.reduce((sum, { spendMinor }) => sum + spendMinor, 0)
  const sums = [...shownModels.map((model) => totals(report, model).valueMinor), truth.total.netMinor]
  const total = sums.flatMap((value) => [dollars(value), roas(value, spend)])
  table.push(['total', dollars(spend), count(totals(report, 'last_touch').sales), ...total].map(bold))
  return table.toString()
}

const noLines = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left right middle'
    .split(' ')
    .map((name) => [name, name === 'middle' ? ' ' : '']),
)

const roas = (value: number, spend: number) => (spend === 0 ? '' : (value / spend).toFixed(2))

/** Only the default model is coloured, and only where it is off by more than half of what was really caused. */
function coloured(column: number, value: number, caused: number, cells: string[]): string[] {
  if (column === shownModels.length) return cells.map(bold)
  if (column > 0 || Math.abs(value - caused) <= Math.max(caused, 1) / 2) return cells
  return cells.map((cell) => styleText(value > caused ? 'red' : 'yellow', cell))
}

/** What the table shows, said in words: computed from it. */
export function whatToNotice(report: Report, truth: Truth): string {
  const gaps = report.campaigns.map(({ name, models }) => {
    const caused = truth.byCampaign.get(name)?.netMinor ?? 0
    return { name, caused, credited: models.last_touch.valueMinor, gap: models.last_touch.valueMinor - caused }
  })
  const over = gaps.reduce((most, row) => (row.gap > most.gap ? row : most))
  const under = gaps.reduce((most, row) => (row.gap < most.gap ? row : most))
  const errors = shownModels
    .map((model) => ({ model, error: misplaced(report, truth, model) }))
    .sort((a, b) => a.error - b.error)
  const [nearest, ...others] = errors.map(({ model, error }) => `${titles[model]} ${Math.round(error * 100)} %`)
  const lines: string[] = []
  if (over.gap > 0) {
    const times = over.caused > 0 ? `, ${(over.credited / over.caused).toFixed(1)} times that` : ''
    lines.push(`${over.name} caused ${dollars(over.caused)}; last touch gives it ${dollars(over.credited)}${times}.`)
  }
  if (under.gap < 0) {
    lines.push(`${under.name} caused ${dollars(under.caused)}; last touch gives it ${dollars(under.credited)}.`)
  }
  lines.push(`Revenue in the wrong place: ${nearest} (nearest to the truth here), ${others.join(', ')}.`)
  return lines.join('\n')
}

/** Each with its cohort and what speaks most for it, or against it. */
export const performerLines = (performers: readonly Performer[]): string[] =>
  performers.map(({ ad_name, campaign_name, composite_score, cohort_key, cohort_n_ads, reason_codes: [reason] }) => {
    const why = reason ? `${reason.polarity} in ${reason.layer} (${reason.percentile})` : ''
    const score = composite_score?.toFixed(1) ?? '-'
    return `  ${score.padStart(5)}  ${`${campaign_name}: ${ad_name}`.padEnd(44)}  ${`of ${cohort_n_ads} ${cohort_key}`.padEnd(46)}  ${why}`.trimEnd()
  })

const mostLines = 9
const visitGapMs = 30 * 60_000

/** The beginning of each visit, and everything that is not a page. */
export function journeyLines(events: readonly JourneyEvent[]): string[] {
  const told = events.filter((event, at) => {
    const previous = events.slice(0, at).findLast(({ event_type }) => event_type === 'page_view')
    const isVisit =
      !previous ||
      previous.device !== event.device ||
      Date.parse(event.event_time) - Date.parse(previous.event_time) > visitGapMs
    return event.event_type !== 'page_view' || isVisit
  })
  const lines = told.slice(0, mostLines).map((event) => {
    const place = [event.device, event.browser].filter(Boolean).join(', ')
    const what = event.value_amount === null ? [event.event_type, event.path].filter(Boolean).join(' ') : paid(event)
    return `  ${event.event_time.slice(0, 16).replace('T', ' ')}  ${place.padEnd(18)}  ${what.padEnd(26)}  ${cameBy(event)}`.trimEnd()
  })
  return told.length > mostLines ? [...lines, `  and ${told.length - mostLines} more`] : lines
}

const paid = ({ event_type, value_amount, currency }: JourneyEvent) => `${event_type} ${value_amount} ${currency}`
const cameBy = ({ event_type, channel, campaign }: JourneyEvent) =>
  event_type === 'page_view' ? [channel, campaign].filter(Boolean).join(': ') : ''
