import fastify from 'fastify'
import { afterAll, expect, it } from 'vitest'
import { registerSchemas } from '../../../infra/kafka/register-schemas.ts'
import { schemaVersions } from '../../../schemas/registry.ts'
import { topics } from '../../../schemas/topics.ts'

/** The write side of a registry, as far as its protocol goes: it gives out ids of its own. */
const outside = fastify()
const registered: string[] = []
outside.addContentTypeParser('application/vnd.schemaregistry.v1+json', { parseAs: 'string' }, (_, body, done) =>
  done(null, JSON.parse(String(body))),
)
outside.post<{ Params: { subject: string }; Body: { schema: string } }>(
  '/subjects/:subject/versions',
  async (request) => {
    JSON.parse(request.body.schema)
    return { id: 1000 + registered.push(request.params.subject) }
  },
)
const url = await outside.listen({ port: 0, host: '127.0.0.1' })
afterAll(() => outside.close())

it('registers every schema in order and then writes and reads the ids it was given', async () => {
  const codec = await registerSchemas(`${url}/`)
  expect(registered).toEqual(schemaVersions.map((entry) => entry.subject))
  const value = { profile_id: 'p', subject_ids: ['s'] }
  const bytes = codec.encode(topics.dirtyCustomers, value)
  expect(bytes.readUInt32BE(1)).toBe(1001 + registered.indexOf('dirty-customers-value'))
  expect(codec.decode(topics.dirtyCustomers, bytes)).toEqual({ kind: 'ok', value })
})

it('says which schema was refused', async () => {
  await expect(registerSchemas(`${url}/nowhere`)).rejects.toThrow('refused visits-value version 1 (404)')
})
