import { describe, expect, it } from 'vitest'
import { parseSearchTerm } from '../../domain/search-term.ts'

describe('a search term', () => {
  it.each([
    ['Ana', ['%Ana%'], '%ana%', null],
    ['  ana   pe ', ['%ana%', '% pe%'], null, null],
    ['an', ['% an%'], 'an%', null],
    ['100%_a\\b', ['%100\\%\\_a\\\\b%'], '%100\\%\\_a\\\\b%', null],
    ['+56 9 1234-5678', ['%+56%', '% 9%', '%1234-5678%'], null, '%56912345678%'],
    ['0041 79 123', ['%0041%', '% 79%', '%123%'], null, '%4179123%'],
    ['(09) 12', ['%(09)%', '% 12%'], null, null],
    ['a\u0000b', ['% a%', '% b%'], null, null],
  ])('%s becomes patterns', (typed, namePatterns, emailPattern, phonePattern) => {
    expect(parseSearchTerm(typed)).toMatchObject({ namePatterns, emailPattern, phonePattern })
  })

  it.each([
    ['ana', 'ana', null],
    ['ana pérez', 'ana pérez', null],
    ['anita', 'anita', 'anita'],
    ['ana.perez@example.com', null, 'ana.perez'],
    ['anita77', null, 'anita77'],
    ['ana.perez', null, 'ana.perez'],
    ['St. Jo', 'St. Jo', null],
    ['+56 9 1234', null, null],
  ])('%s is nearly this name and this address', (typed, nearName, nearEmail) => {
    expect(parseSearchTerm(typed)).toMatchObject({ nearName, nearEmail })
  })

  it.each(['', '   ', '\u0000'])('%j is none', (typed) => {
    expect(parseSearchTerm(typed)).toBeNull()
  })
})
