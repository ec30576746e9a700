import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type SchemaVersion, schemaText, schemaVersions } from '../schemas/registry.ts'

const notFound = {
  subject: { error_code: 40401, message: 'Subject not found.' },
  version: { error_code: 40402, message: 'Version not found.' },
  schema: { error_code: 40403, message: 'Schema not found' },
} as const
const invalidVersion = {
  error_code: 42202,
  message: 'The specified version is not a valid version id: it must be from 1 on, or "latest".',
}

/** The read side of the Schema Registry protocol, so that any Confluent deserializer reads our topics. */
export const schemaRegistry: FastifyPluginAsync = async (app) => {
  const texts = new Map(schemaVersions.map((entry) => [entry.id, JSON.stringify(JSON.parse(schemaText(entry)))]))
  const of = (subject: string) => schemaVersions.filter((entry) => entry.subject === subject)
  const refuse = (reply: FastifyReply, status: number, body: object) => reply.code(status).send(body)

  app.addHook('onSend', async (_request, reply) => {
    reply.header('content-type', 'application/vnd.schemaregistry.v1+json')
  })

  app.get('/schemas/types', async () => ['AVRO'])

  app.get<{ Params: { id: string } }>('/schemas/ids/:id', async (request, reply) => {
    const schema = texts.get(Number(request.params.id))
    return schema ? { schema } : refuse(reply, 404, notFound.schema)
  })

  app.get<{ Params: { id: string } }>('/schemas/ids/:id/versions', async (request, reply) => {
    const found = schemaVersions.filter((entry) => entry.id === Number(request.params.id))
    if (found.length === 0) return refuse(reply, 404, notFound.schema)
    return found.map(({ subject, version }) => ({ subject, version }))
  })

  app.get('/subjects', async () => [...new Set(schemaVersions.map((entry) => entry.subject))])

  app.get<{ Params: { subject: string } }>('/subjects/:subject/versions', async (request, reply) => {
    const found = of(request.params.subject)
    return found.length > 0 ? found.map((entry) => entry.version) : refuse(reply, 404, notFound.subject)
  })

  app.get<{ Params: { subject: string; version: string } }>(
    '/subjects/:subject/versions/:version',
    async (request, reply) => {
      const { subject, version } = request.params
      const found = of(subject)
      if (found.length === 0) return refuse(reply, 404, notFound.subject)
      if (version !== 'latest' && !/^[1-9]\d*$/.test(version)) return refuse(reply, 422, invalidVersion)
      const entry = version === 'latest' ? latest(found) : found.find((one) => one.version === Number(version))
      if (!entry) return refuse(reply, 404, notFound.version)
      return { subject, version: entry.version, id: entry.id, schema: texts.get(entry.id) }
    },
  )
}

const latest = (versions: SchemaVersion[]) => versions.reduce((a, b) => (b.version > a.version ? b : a))
