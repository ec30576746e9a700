import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseSearchTerm } from '../../../domain/search-term.ts'
import { customersMatching, pickCustomers } from '../../../postgres/stores/customer-search.ts'
import { identityStore } from '../../../postgres/stores/identity.ts'
import { type FreshDatabase, freshDatabase } from '../../fresh-database.ts'
import { observation } from '../../observations.ts'
import { createProfile, serverUrl } from '../../profiles.ts'

let database: FreshDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await freshDatabase(serverUrl)
  pool = database.pool
})
afterAll(() => database.drop())

type Name = readonly [first: string | null, last: string | null]

async function call(profile: string, names: readonly Name[]): Promise<string[]> {
  const ids = names.map(() => randomUUID())
  await pool.query(
    `INSERT INTO customers (id, profile_id, first_name, last_name)
     SELECT id, $1, first_name, last_name FROM unnest($2::uuid[], $3::text[], $4::text[]) AS c (id, first_name, last_name)`,
    [profile, ids, names.map(([first]) => first), names.map(([, last]) => last)],
  )
  return ids
}

async function wordsOf(profile: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ word: string; customers: number }>(
    'SELECT word, customers FROM name_words WHERE profile_id = $1 ORDER BY word',
    [profile],
  )
  return Object.fromEntries(rows.map(({ word, customers }) => [word, customers]))
}

const matching = async (profile: string, typed: string, most = 2_000) =>
  (await customersMatching(pool, profile, parseSearchTerm(typed)!, most))?.sort()

async function picked(profile: string, typed: string, most = 20): Promise<string[]> {
  const ids = await pickCustomers(pool, profile, parseSearchTerm(typed)!, { most, exclude: null })
  const { rows } = await pool.query<{ id: string; name: string }>(
    "SELECT id, concat_ws(' ', first_name, last_name) AS name FROM customers WHERE id = ANY($1::uuid[])",
    [ids],
  )
  const nameOf = new Map(rows.map(({ id, name }) => [id, name]))
  return ids.map((id) => nameOf.get(id)!)
}

describe('the words of names', () => {
  it('count who has each, once a person', async () => {
    const profile = await createProfile(pool)
    await call(profile, [
      ['María José', 'Peña'],
      ['MARIA', null],
      [null, '  pena   Peña '],
      [null, null],
    ])
    expect(await wordsOf(profile)).toEqual({ jose: 1, maria: 2, pena: 2 })
  })

  it('are those of today, whatever was written before', async () => {
    const profile = await createProfile(pool)
    const names = ['Ana', 'Eva', 'Ana Eva', 'Iñigo', null] as const
    const some = (n: number) => names[(n * 7919 + (n >> 2)) % names.length]!
    const ids = await call(
      profile,
      Array.from({ length: 40 }, (_, n) => [some(n), some(n + 3)] as const),
    )
    for (let round = 0; round < 20; round++) {
      await pool.query(
        `UPDATE customers SET first_name = ($2::text[])[1 + abs(hashtext(id::text || $3::int)) % 5],
           last_name = ($2::text[])[1 + abs(hashtext($3::int || id::text)) % 5]
         WHERE id = ANY($1::uuid[])`,
        [ids.filter((_, n) => (n + round) % 3 === 0), names, round],
      )
    }
    const followed = await wordsOf(profile)
    await pool.query('SELECT count_name_words($1)', [profile])
    expect(Object.keys(followed).length).toBeGreaterThan(0)
    expect(await wordsOf(profile)).toEqual(followed)
  })

  it('follow a merge, and leave with the last who had them', async () => {
    const profile = await createProfile(pool)
    const mail = { type: 'email', token: randomUUID(), value: 'b@example.com' } as const
    const phone = { type: 'phone', token: randomUUID(), value: '+56912345678' } as const
    const identity = identityStore(pool)
    await identity.observe([
      observation(profile, 1, { identifiers: [mail], firstName: 'Berta' }),
      observation(profile, 2, { identifiers: [phone], firstName: 'Berta', lastName: 'Soto' }),
    ])
    expect(await wordsOf(profile)).toEqual({ berta: 2, soto: 1 })
    await identity.observe([observation(profile, 3, { identifiers: [mail, phone] })])
    expect(await wordsOf(profile)).toEqual({ berta: 1, soto: 1 })
    await pool.query('UPDATE customers SET first_name = NULL, last_name = NULL WHERE profile_id = $1', [profile])
    expect(await wordsOf(profile)).toEqual({})
  })

  it('are cut where they would not fit into an index', async () => {
    const profile = await createProfile(pool)
    const long = Array.from({ length: 3_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join('')
    await call(profile, [[long, 'Short']])
    expect(Object.keys(await wordsOf(profile)).map((word) => word.length)).toEqual([399])
  })
})

describe('customers by name', () => {
  it('are all who have the word in part, or too many', async () => {
    const profile = await createProfile(pool)
    const ids = await call(profile, [
      ['Maria', null],
      ['Mariana', 'Maria'],
      ['Ana Maria', null],
      ['Mario', null],
    ])
    expect(await matching(profile, 'maria')).toEqual(ids.slice(0, 3).sort())
    expect(await matching(profile, 'mari ana')).toEqual(ids.slice(1, 3).sort())
    expect(await matching(profile, 'maria', 2)).toBeUndefined()
    expect(await matching(profile, 'nobody')).toEqual([])
  })

  it('are a full page although some have two of its words', async () => {
    const profile = await createProfile(pool)
    await call(profile, [...Array(150).fill(['Mara', 'Mari']), ...Array(150).fill(['Mariana', null])])
    const { rows } = await pool.query<{ customers: string }>(
      `SELECT count(DISTINCT id) AS customers
       FROM set_config('touchline.profile', $1, true) CROSS JOIN LATERAL customers_named('{%mar%}', 200) AS id`,
      [profile],
    )
    expect(Number(rows[0]!.customers)).toBe(200)
  })

  it('are too many to tell where one of them has two such addresses', async () => {
    const profile = await createProfile(pool)
    const identity = identityStore(pool)
    const mail = (value: string) => ({ type: 'email', token: randomUUID(), value }) as const
    await identity.observe([
      observation(profile, 1, { identifiers: [mail('one@shop.example'), mail('two@shop.example')] }),
      ...[3, 4, 5].map((n) => observation(profile, n, { identifiers: [mail(`${n}@shop.example`)] })),
    ])
    expect(await matching(profile, 'shop.example', 4)).toBeUndefined()
    expect(await matching(profile, 'shop.example', 5)).toHaveLength(4)
  })

  it('are found by patterns that very many words have', async () => {
    const profile = await createProfile(pool)
    const letters = 'abcdefghijklmnop'
    const syllable = (n: number) => letters[n % 16]! + letters[(n >> 4) % 16]!
    const ids = await call(
      profile,
      Array.from({ length: 250 }, (_, n) => [`Ber${syllable(n)}`, `Ga${syllable(n * 3)}`] as const),
    )
    expect(await matching(profile, 'be ga')).toEqual(ids.toSorted())
    expect(await matching(profile, 'ga ber')).toEqual(ids.toSorted())
    expect(await matching(profile, `ga ber${syllable(7)}`)).toEqual([ids[7]])
  })

  it.each([`D'Ar"ta{g,n}\\an`, '100%_sure', '$1', 'NULL', '\u{1F600}'])(
    'are found by odd letters: %s',
    async (name) => {
      const profile = await createProfile(pool)
      const ids = await call(profile, [
        [name, 'Roe'],
        ['Somebody', 'Else'],
      ])
      expect(await matching(profile, name)).toEqual([ids[0]])
      expect(await matching(profile, `${name} roe`)).toEqual([ids[0]])
      expect(await picked(profile, name)).toEqual([`${name} Roe`])
    },
  )

  it('are nobody where nothing but an accent was typed', async () => {
    const profile = await createProfile(pool)
    await call(profile, [['Ana', 'Roe']])
    expect(await picked(profile, '\u0301')).toEqual([])
    expect(await matching(profile, '\u0301')).toEqual([])
  })

  it('are not those of another profile', async () => {
    const [one, other] = [await createProfile(pool), await createProfile(pool)]
    await call(one, [['Quentin', null]])
    for (const typed of ['quentin', 'quentni', 'qu']) {
      expect(await picked(one, typed), typed).toEqual(['Quentin'])
      expect(await picked(other, typed), typed).toEqual([])
    }
  })
})

describe('customers nearly named so', () => {
  it.each([
    ['mraia', 'Maria Gonzalez', 'two letters swapped'],
    ['mraia gonzlaez', 'Maria Gonzalez', 'swapped in both words'],
    ['paola castilo', 'Paula Castillo', 'a wrong letter and one too few'],
    ['gonzle', 'Maria Gonzalez', 'a beginning with a letter too few'],
    ['jhon', 'John Smith', 'a short one'],
    ['paula xkwq castillo', 'Paula Castillo', 'a word that nobody has'],
    ['smith castillo', 'Paula Castillo', 'words that nobody has together'],
  ])('%s means %s: %s', async (typed, name) => {
    const profile = await createProfile(pool)
    await call(profile, [
      ['Maria', 'Gonzalez'],
      ['Paula', 'Castillo'],
      ['John', 'Smith'],
    ])
    expect(await picked(profile, typed)).toContain(name)
  })

  it('come closest first, however many are further away', async () => {
    const profile = await createProfile(pool)
    const others = Array<Name>(300).fill(['Marlon', 'Gonzalo'])
    await call(profile, [...others, ...Array<Name>(50).fill(['Maria', 'Gonzalez']), ...others])
    expect(await picked(profile, 'marai gonzales')).toEqual(Array(20).fill('Maria Gonzalez'))
  })
})
