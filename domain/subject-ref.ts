import { accept, type Checked, refuse } from './checked.ts'
import { commonNames } from './common-names.ts'
import { isUuid } from './ids.ts'

export type SubjectRefReason = 'shape' | 'email' | 'digits' | 'date' | 'name' | 'digest'

/** What to tell the caller; none of these sentences repeats the value. */
export const subjectRefMessages: Record<SubjectRefReason, string> = {
  shape: 'must be a canonical UUID or up to 32 letters, digits, _ and -',
  email: 'must not contain an e-mail address',
  digits: 'must not contain 7 or more digits in a row',
  date: 'must not contain a date',
  name: "must not contain a person's name",
  digest: 'must not be a digest of 32, 40 or 64 hex characters',
}

/** An opaque id of who a payment is for, free of anything that names the person (SPEC 4.6 subject_ref rules 2 and 6). */
export function checkSubjectRef(value: string): Checked<string, SubjectRefReason> {
  if (isUuid(value)) return accept(value.toLowerCase())
  if (value.includes('@')) return refuse('email')
  if (/^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value)) return refuse('digest')
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(value)) return refuse('shape')
  if (hasDate(value)) return refuse('date')
  if (/\d{7}/.test(value.replace(/[_-]/g, ''))) return refuse('digits')
  return hasName(value) ? refuse('name') : accept(value)
}

const yearFirst = /(?<!\d)(?:19|20)\d\d[_-](?:0?[1-9]|1[0-2])[_-](?:0?[1-9]|[12]\d|3[01])(?!\d)/
const dayAndMonth = /(?<!\d)(?:0?[1-9]|[12]\d|3[01])[_-](?:0?[1-9]|[12]\d|3[01])[_-](?:(?:19|20)\d\d|\d\d)(?!\d)/
const compact =
  /(?<!\d)(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d)(?!\d)/
const month =
  '(?:jan(?:uary)?|ene(?:ro)?|feb(?:ruary|rero)?|mar(?:ch|zo)?|apr(?:il)?|abr(?:il)?|may(?:o)?|june?|junio|july?|julio|aug(?:ust)?|ago(?:sto)?|sept?(?:ember|iembre)?|set(?:iembre)?|oct(?:ober|ubre)?|nov(?:ember|iembre)?|dec(?:ember)?|dic(?:iembre)?)'
const year = '(?:19|20)\\d\\d'
const withMonthName = new RegExp(
  [
    `(?<!\\d)\\d{1,2}[_-]?${month}[_-]?(?:${year}|\\d\\d)(?!\\d)`,
    `(?:^|[_-])${month}[_-]?(?:\\d{1,2}[_-])?${year}(?!\\d)`,
    `(?<!\\d)${year}[_-]?${month}(?:[_-]?\\d{1,2})?(?![a-z\\d])`,
  ].join('|'),
  'i',
)
const hasDate = (value: string) =>
  yearFirst.test(value) || dayAndMonth.test(value) || compact.test(value) || withMonthName.test(value)

/** Whole words only: a random id that happens to contain "ana" is no name. */
const hasName = (value: string) =>
  value
    .split(/[_-]+/)
    .flatMap(wordsOf)
    .some((word) => commonNames.has(word))

/** Digits around a word do not hide it; within a token a capital starts the next word. */
function wordsOf(token: string): string[] {
  const letters = token.replace(/^\d+|\d+$/g, '')
  const words = /^[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,})*$/.test(letters) ? letters.split(/(?=[A-Z])/) : [letters]
  return words.map((word) => word.toLowerCase())
}
