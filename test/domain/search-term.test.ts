import { describe, expect, it } from 'vitest'
import { parseSearchTerm } from '../../domain/search-term.ts'

describe('a search term', () => {
  it.each([
    ['Ana', ['%Ana%'], '%ana%', null],
    ['  ana   pe ', ['%ana%', '% pe%'], '%ana   pe%', null],
    ['an', ['% an%'], 'an%', null],
    ['100%_a\\b', ['%100\\%\\_a\\\\b%'], '%100\\%\\_a\\\\b%', null],
    ['+56 9 1234-5678', ['%+56%', '% 9%', '%1234-5678%'], '%+56 9 1234-5678%', '%56912345678%'],
    ['0041 79 123', ['%0041%', '% 79%', '%123%'], '%0041 79 123%', '%4179123%'],
    ['(09) 12', ['%(09)%', '% 12%'], '%(09) 12%', null],
    ['a\u0000b', ['% a%', '% b%'], '%a b%', null],
  ])('%s becomes patterns', (typed, namePatterns, emailPattern, phonePattern) => {
    expect(parseSearchTerm(typed)).toMatchObject({ namePatterns, emailPattern, phonePattern })
  })

  it.each(['', '   ', '\u0000'])('%j is none', (typed) => {
    expect(parseSearchTerm(typed)).toBeNull()
  })
})
