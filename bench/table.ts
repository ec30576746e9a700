import Table from 'cli-table3'
import type { Result, Target } from './line.ts'

export function tableOf(results: Result[]): string {
  const table = new Table({
    head: ['line', 'figure', 'measured', 'beside it, in the same run', 'ratio', 'target', ''],
    style: { head: [], border: [] },
    colAligns: ['left', 'left', 'right', 'left', 'right', 'left', 'left'],
  })
  for (const [index, result] of results.entries()) {
    table.push([
      result.line === results[index - 1]?.line ? '' : result.line,
      result.name,
      amount(result.value, result.unit),
      `${result.beside}: ${amount(result.limit, result.unit)}`,
      short(result.ratio),
      targetOf(result.target, result.unit),
      result.isMet ? 'met' : 'MISSED',
    ])
  }
  return table.toString()
}

export const sentenceOf = (result: Result): string =>
  `  ${result.name}: ${amount(result.value, result.unit)} beside ${amount(result.limit, result.unit)} ` +
  `(${result.beside}), ratio ${short(result.ratio)}: ${result.isMet ? 'met' : 'missed'}`

const targetOf = ({ of, is, bound }: Target, unit: string) =>
  of === 'ratio' ? `ratio ${is} ${short(bound)}` : `${is} ${amount(bound, unit)}`

const amount = (value: number, unit: string) => `${short(value)} ${unit}`

function short(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return value.toLocaleString('en-US', { maximumSignificantDigits: Math.abs(value) >= 1000 ? 6 : 3 })
}
