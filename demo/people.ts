import { uuidv5 } from '../domain/ids.ts'
import type { Random } from './random.ts'

export interface Device {
  visitorId: string
  userAgent: string
  /** By how much its clock is wrong. */
  clockErrorMs: number
  /** Out of reach for days: what it saw comes in at the very end. */
  isLate: boolean
}

export interface Person {
  number: number
  firstName: string
  lastName: string
  email: string
  phone: string
  externalId: string
  country: string
  /** The one used most comes first. */
  devices: Device[]
}

const space = '7c1b6f0e-5d0c-4b4e-9b57-2f6f6b3a9d10'
const hourMs = 3_600_000
const firstNames =
  'Ada Ben Carla Dario Elif Femi Gina Hugo Ines Jonas Kira Luca Maya Nils Olga Pablo Rosa Sami Tara Yuki'
const lastNames = 'Abbott Bauer Castro Dahl Evans Ferrari Garcia Haddad Ito Jensen Kovacs Lopez Meyer Novak Okafor Park'
const [givenNames, surnames] = [firstNames.split(' '), lastNames.split(' ')]

const phones = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
]
const computers = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
]
const tablets = [
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
]

/** Area codes 201 to 999 with the hundred numbers of each that are kept free for stories. */
export const mostPeople = 799 * 100

export function createPerson(number: number, random: Random): Person {
  const firstName = random.pick(givenNames)
  const lastName = random.pick(surnames)
  const kinds = random.shuffle([phones, computers]).concat([tablets])
  const count = random.weighted([
    [1, 55],
    [2, 35],
    [3, 10],
  ])
  return {
    number,
    firstName,
    lastName,
    email: `${firstName}.${lastName}.${number}@mail.example`.toLowerCase(),
    phone: `+1 ${201 + Math.floor(number / 100)} 555 01${String(number % 100).padStart(2, '0')}`,
    externalId: `C-${100_000 + number}`,
    country: random.weighted([
      ['US', 80],
      ['CA', 15],
      ['MX', 5],
    ]),
    devices: kinds.slice(0, count).map((agents, at) => ({
      visitorId: uuidv5(space, `${number}:${at}`),
      userAgent: random.pick(agents),
      clockErrorMs: random.chance(0.03) ? Math.round(random.between(-20, 20) * hourMs) : 0,
      isLate: random.chance(0.06),
    })),
  }
}
