import { expect, test } from 'vitest'
import { progressBar } from '../../cli/progress-bar.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, write: (more: string) => written.push(more) > 0, text: () => written.join('') }
}

test('a person sees how far it is, and lines above the bar', () => {
  const out = terminal(true)
  const bar = progressBar(out as never, 200)
  bar.update(100, '10 taken')
  bar.line('line 3: bad')
  bar.update(200, '20 taken')
  bar.end()
  expect(out.text()).toContain(' 50 %  10 taken')
  expect(out.text()).toContain('line 3: bad\n')
  expect(out.text()).toMatch(/100 % {2}20 taken\n$/)
})

test('a program sees the lines alone', () => {
  const out = terminal(false)
  const bar = progressBar(out as never, 200)
  bar.update(100, '10 taken')
  bar.line('line 3: bad')
  bar.end()
  expect(out.text()).toBe('line 3: bad\n')
})

test('without a total the note stands alone', () => {
  const out = terminal(true)
  progressBar(out as never, undefined).update(5, '5 taken')
  expect(out.text()).toBe('\r\u001b[K5 taken')
})
