import { describe, expect, it } from 'vitest'
import { htmlElements } from '../../../query-api/tracking/html-elements.ts'

const seen = (html: string) =>
  htmlElements(html).map(({ name, attributes, text }) => [name, Object.fromEntries(attributes), text])

describe('the elements of a page', () => {
  it.each<[string, unknown[]]>([
    ['<script>a < b</script>', [['script', {}, 'a < b']]],
    ['<SCRIPT SRC=/a.js async></SCRIPT >', [['script', { src: '/a.js', async: '' }, '']]],
    ['<script/src="/a.js"/defer></script>', [['script', { src: '/a.js', defer: '' }, '']]],
    ['<script src="a" src="b"></script>', [['script', { src: 'a' }, '']]],
    ['<script title="a > b" id = \'x "y"\'></script>', [['script', { title: 'a > b', id: 'x "y"' }, '']]],
    ['<script data-a="&quot;&#39;&#x27;&amp;lt;&nbsp;"></script>', [['script', { 'data-a': "\"''&lt;\u00a0" }, '']]],
    [
      '<script>"</scripted>"</script><body class=a>',
      [
        ['script', {}, '"</scripted>"'],
        ['body', { class: 'a' }, ''],
      ],
    ],
    ['<script>one\r\ntwo\rthree</script>', [['script', {}, 'one\ntwo\nthree']]],
    ['<script>cut off', [['script', {}, 'cut off']]],
    ['<script src="never closed>', []],
    ['<meta charset=utf-8><metadata><scripts><p><br/></p>', [['meta', { charset: 'utf-8' }, '']]],
    ['<!doctype html><?xml <meta>?><meta a>', [['meta', { a: '' }, '']]],
    ['a < b <meta =x=1>', [['meta', { '=x': '1' }, '']]],
    [
      '<!--><meta a><!-- <meta b> --><!---><meta c>',
      [
        ['meta', { a: '' }, ''],
        ['meta', { c: '' }, ''],
      ],
    ],
    ['<title><meta></title><noscript><meta></noscript><meta d>', [['meta', { d: '' }, '']]],
  ])('of %s', (html, expected) => {
    expect(seen(html)).toEqual(expected)
  })
})
