import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { schemaRegistry } from '../../query-api/schema-registry.ts'
import { schemaVersions } from '../../schemas/registry.ts'

const app = fastify()
await app.register(schemaRegistry)
const get = async (url: string) => {
  const response = await app.inject({ url })
  return { status: response.statusCode, body: response.json(), type: response.headers['content-type'] }
}

describe('the read side of the schema registry', () => {
  it('gives the schema of every id as text', async () => {
    for (const { id } of schemaVersions) {
      const { status, body, type } = await get(`/schemas/ids/${id}`)
      expect(status).toBe(200)
      expect(type).toContain('application/vnd.schemaregistry.v1+json')
      expect(JSON.parse(body.schema)).toMatchObject({ type: 'record', namespace: 'touchline' })
    }
  })

  it('lists subjects, their versions and the types it knows', async () => {
    expect((await get('/subjects')).body).toContain('visits-value')
    expect((await get('/subjects/visits-value/versions')).body).toEqual([1])
    expect((await get('/schemas/types')).body).toEqual(['AVRO'])
    expect((await get('/schemas/ids/1/versions')).body).toEqual([{ subject: 'visits-value', version: 1 }])
  })

  it('gives a version by its number and the latest by name', async () => {
    const first = await get('/subjects/payments-value/versions/1')
    expect(first.body).toMatchObject({ subject: 'payments-value', version: 1, id: 4 })
    expect((await get('/subjects/payments-value/versions/latest')).body).toEqual(first.body)
  })

  it.each([
    ['/schemas/ids/999', 404, 40403],
    ['/schemas/ids/x', 404, 40403],
    ['/subjects/none/versions', 404, 40401],
    ['/subjects/none/versions/1', 404, 40401],
    ['/subjects/visits-value/versions/99', 404, 40402],
    ['/subjects/visits-value/versions/zero', 422, 42202],
    ['/subjects/visits-value/versions/0', 422, 42202],
  ])("answers %s with the registry's own error", async (url, status, error_code) => {
    const answer = await get(url)
    expect(answer).toMatchObject({ status, body: { error_code, message: expect.any(String) } })
  })
})
